import type { Informer } from '../kube/informer.ts';
import type { Informers } from '../kube/informers.ts';
import type { KubeObject, Pod } from '../kube/objects.ts';
import { controllerOf } from '../kube/pods.ts';
import { Pods } from '../kube/resources.ts';

const CONTROLLER = 'controller uid';
const NODE = 'node name';

/** Objects of one resource by the uid of their controller. */
export interface Controlled<T> {
  of(owner: KubeObject): readonly T[];
  /** Those of a namespace that nothing controls. */
  orphansIn(namespace: string | undefined): readonly T[];
}

export function controlledBy<T extends KubeObject>(informer: Informer<T>): Controlled<T> {
  informer.addIndex(CONTROLLER, (object) => [controllerOf(object)?.uid ?? orphanKey(object.metadata.namespace)]);
  return {
    of: (owner) => informer.store.byIndex(CONTROLLER, owner.metadata.uid ?? ''),
    orphansIn: (namespace) => informer.store.byIndex(CONTROLLER, orphanKey(namespace)),
  };
}

/** No uid looks like this. */
function orphanKey(namespace = ''): string {
  return `orphans of ${namespace}`;
}

/** The pods bound to a node. */
export function podsOnNode(informers: Informers): (nodeName: string) => readonly Pod[] {
  const informer = informers.for(Pods);
  informer.addIndex(NODE, (pod) => [pod.spec.nodeName ?? '']);
  return (nodeName) => informer.store.byIndex(NODE, nodeName);
}
