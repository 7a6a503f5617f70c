import type { Informers } from '../../kube/informers.ts';
import type { KubeObject, OwnerReference, Pod } from '../../kube/objects.ts';
import { controllerOf } from '../../kube/pods.ts';
import { Deployments, Jobs, ReplicaSets, ReplicationControllers, StatefulSets } from '../../kube/resources.ts';

export interface Scale {
  readonly uid: string;
  readonly scale: number;
}

/** Finds the object that decides how many pods there should be: a ReplicaSet's Deployment before the ReplicaSet itself. */
export type ScaleFinder = (owner: OwnerReference, namespace: string) => Scale | undefined;

/**
 * The number of pods that the controllers of `pods` want together, each counted once. Pods without a controller are told
 * apart; a controller that is unknown or can't be scaled makes it impossible to say (upstream's getExpectedScale).
 */
export function expectedScale(
  pods: readonly Pod[],
  find: ScaleFinder,
): { readonly scale: number | { readonly failure: string }; readonly unmanaged: boolean } {
  const scales = new Map<string, number>();
  let unmanaged = false;
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined) {
      unmanaged = true;
      continue;
    }
    const found = find(owner, pod.metadata.namespace ?? '');
    if (found === undefined) {
      return { scale: { failure: `found no controllers for pod "${pod.metadata.name}"` }, unmanaged };
    }
    scales.set(found.uid, found.scale);
  }
  return { scale: [...scales.values()].reduce((sum, scale) => sum + scale, 0), unmanaged };
}

interface Scaled extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly parallelism?: number };
}

export function scaleFinder(informers: Informers): ScaleFinder {
  const readers = {
    ReplicaSet: informers.reader(ReplicaSets),
    StatefulSet: informers.reader(StatefulSets),
    Deployment: informers.reader(Deployments),
    ReplicationController: informers.reader(ReplicationControllers),
    Job: informers.reader(Jobs),
  };
  const find = ({ kind, name, uid }: OwnerReference, namespace: string): Scale | undefined => {
    const reader = readers[kind as keyof typeof readers];
    const object = reader?.get(`${namespace}/${name}`) as Scaled | undefined;
    if (object === undefined || object.metadata.uid !== uid) return undefined;
    const above = kind === 'ReplicaSet' ? controllerOf(object) : undefined;
    const deployment = above && find(above, namespace);
    const scale = kind === 'Job' ? (object.spec.parallelism ?? 1) : (object.spec.replicas ?? 1);
    return deployment ?? { uid, scale };
  };
  return find;
}
