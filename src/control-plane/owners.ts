import type { KubeObject, OwnerReference } from '../kube/objects.ts';
import { controllerOf } from '../kube/pods.ts';

export interface OwnerKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export function apiVersionOf(kind: OwnerKind): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The reference a controller puts on what it creates. */
export function controllerReference(owner: KubeObject, kind: OwnerKind): OwnerReference {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}
