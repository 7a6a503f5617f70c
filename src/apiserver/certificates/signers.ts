import type { CertificateRequest } from './certificate-request.ts';

/** What each of Kubernetes' own signers asks of a request (pkg/controller/certificates/signer, pkg/apis/certificates). */

/** Why a signer won't sign; undefined where it will. */
type Check = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

const sameUsages = (usages: readonly string[], ...wanted: readonly string[]): boolean =>
  new Set(usages).size === wanted.length && wanted.every((usage) => usages.includes(usage));

const clientUsages: Check = (_request, usages) => {
  const other = usages.find((usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
};

const nodeSubject = ({ organizations, commonName }: CertificateRequest): string | undefined => {
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') {
    return 'subject organization is not system:nodes';
  }
  return commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';
};

const kubeletClient: Check = (request, usages) => {
  const { names } = request;
  const subject = nodeSubject(request);
  if (subject?.includes('organization')) return subject;
  if (names.dns > 0) return 'DNS subjectAltNames are not allowed';
  if (names.email > 0) return 'Email subjectAltNames are not allowed';
  if (names.ip > 0) return 'IP subjectAltNames are not allowed';
  if (names.uri > 0) return 'URI subjectAltNames are not allowed';
  const fits =
    sameUsages(usages, 'digital signature', 'key encipherment', 'client auth') ||
    sameUsages(usages, 'digital signature', 'client auth');
  return fits ? subject : 'usages did not match [client auth digital signature key encipherment]';
};

const kubeletServing: Check = (request, usages) => {
  const { names } = request;
  const subject = nodeSubject(request);
  if (subject?.includes('organization')) return subject;
  if (names.dns === 0 && names.ip === 0) return 'DNS or IP subjectAltName is required';
  if (names.email > 0) return 'Email subjectAltNames are not allowed';
  if (names.uri > 0) return 'URI subjectAltNames are not allowed';
  const fits =
    sameUsages(usages, 'digital signature', 'key encipherment', 'server auth') ||
    sameUsages(usages, 'digital signature', 'server auth');
  return fits ? subject : 'usages did not match [digital signature key encipherment server auth]';
};

export const SIGNERS: ReadonlyMap<string, Check> = new Map([
  ['kubernetes.io/kube-apiserver-client', clientUsages],
  ['kubernetes.io/kube-apiserver-client-kubelet', kubeletClient],
  ['kubernetes.io/kubelet-serving', kubeletServing],
]);
