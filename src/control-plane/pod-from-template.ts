import type { KubeObject, Pod, PodTemplateSpec } from '../kube/objects.ts';
import { controllerReference, type OwnerKind } from './owners.ts';

export interface PodNaming {
  readonly name?: string;
  /** Used when there is no `name`; the API appends five characters. */
  readonly generateName?: string;
}

/** The pod that `owner` asks for by its template. */
export function podFromTemplate(
  owner: KubeObject,
  kind: OwnerKind,
  template: PodTemplateSpec,
  naming: PodNaming = {},
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: naming.name ?? '',
      ...(naming.name === undefined ? { generateName: naming.generateName ?? `${owner.metadata.name}-` } : {}),
      namespace: owner.metadata.namespace,
      labels: template.metadata?.labels,
      annotations: template.metadata?.annotations,
      finalizers: template.metadata?.finalizers,
      ownerReferences: [controllerReference(owner, kind)],
    },
    spec: template.spec,
  };
}
