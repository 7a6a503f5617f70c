import type { Pod } from '../kube/objects.ts';
import { isTerminal } from '../kube/pods.ts';
import { podKey } from './pod-key.ts';

/** Pods by the node that they are bound to, as long as they have not run to their end. */
export class BoundPods {
  /** Pod key to node name. */
  readonly #bindings = new Map<string, string>();
  readonly #byNode = new Map<string, Map<string, Pod>>();

  on(nodeName: string): readonly Pod[] {
    return [...(this.#byNode.get(nodeName)?.values() ?? [])];
  }

  /** Whether the pod has come to a node that it was not on before. */
  update(pod: Pod): boolean {
    const key = podKey(pod);
    const nodeName = pod.spec.nodeName ?? '';
    if (isTerminal(pod) || nodeName === '') {
      this.#unbind(key);
      return false;
    }
    const isNew = this.#bindings.get(key) !== nodeName;
    if (isNew) {
      this.#unbind(key);
      this.#bindings.set(key, nodeName);
    }
    const pods = this.#byNode.get(nodeName);
    if (pods) pods.set(key, pod);
    else this.#byNode.set(nodeName, new Map([[key, pod]]));
    return isNew;
  }

  delete(pod: Pod): void {
    this.#unbind(podKey(pod));
  }

  #unbind(key: string): void {
    const nodeName = this.#bindings.get(key);
    if (nodeName === undefined) return;
    this.#bindings.delete(key);
    const pods = this.#byNode.get(nodeName);
    pods?.delete(key);
    if (pods?.size === 0) this.#byNode.delete(nodeName);
  }
}
