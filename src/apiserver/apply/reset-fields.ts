import { type FieldSet, fieldSetOf } from './field-set.ts';

/** Kinds whose status endpoint resets more than the spec (kubernetes pkg/registry, GetResetFields of each strategy). */
const STATUS_ALSO: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'Pod.': [
    ['f:metadata', 'f:deletionTimestamp'],
    ['f:metadata', 'f:ownerReferences'],
  ],
  'Deployment.apps': [['f:metadata', 'f:labels']],
  'FlowSchema.flowcontrol.apiserver.k8s.io': [['f:metadata']],
  'PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io': [['f:metadata']],
  'ResourceClaim.resource.k8s.io': [['f:metadata']],
  'ServiceCIDR.networking.k8s.io': [['f:metadata']],
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': [['f:metadata']],
  'VolumeAttachment.storage.k8s.io': [['f:metadata']],
};

export interface Endpoint {
  readonly group: string;
  readonly kind: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly hasStatus: boolean;
  readonly isCustom: boolean;
}

/** The paths that an endpoint resets, and that nobody can therefore own through it; undefined for none. */
export function resetFields({ group, kind, subresource, hasStatus, isCustom }: Endpoint): FieldSet | undefined {
  if (kind === 'CertificateSigningRequest') return resetOfCertificates(subresource);
  if (!hasStatus) return undefined;
  if (subresource === '' || (kind === 'Namespace' && subresource === 'finalize')) return fieldSetOf(['f:status']);
  if (subresource !== 'status') return undefined;
  const also = isCustom ? [['f:metadata']] : (STATUS_ALSO[`${kind}.${group}`] ?? []);
  return fieldSetOf(['f:spec'], ...also);
}

function resetOfCertificates(subresource: string): FieldSet | undefined {
  switch (subresource) {
    case '':
      return fieldSetOf(['f:spec'], ['f:status']);
    case 'status':
      return fieldSetOf(['f:spec'], ['f:status', 'f:conditions']);
    case 'approval':
      return fieldSetOf(['f:spec'], ['f:status', 'f:certificate']);
    default:
      return undefined;
  }
}
