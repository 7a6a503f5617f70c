import { conditionIsTrue } from './conditions.ts';
import type { KubeObject, OwnerReference, Pod } from './objects.ts';

/** The pod has run to its end. */
export const isTerminal = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

/** Deletion has begun. */
export const isTerminating = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined;

/** Neither at its end nor on its way out. */
export const isActive = (pod: Pod): boolean => !isTerminal(pod) && !isTerminating(pod);

/** A node has been assigned. */
export const isBound = (pod: Pod): boolean => (pod.spec.nodeName ?? '') !== '';

/** The kubelet reports it ready. */
export const isReady = (pod: Pod): boolean => conditionIsTrue(pod, 'Ready');

/** The owner that manages the object, if any. */
export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.controller === true);

/** Whether an owner of the given kind and API group is among the object's owners. */
export const isOwnedBy = (object: KubeObject, kind: string, group: string): boolean =>
  object.metadata.ownerReferences?.some((owner) => owner.kind === kind && groupOf(owner.apiVersion) === group) ?? false;

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}
