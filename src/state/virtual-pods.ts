import type { Pod } from '../kube/objects.ts';
import type { Listers } from './listers.ts';

/** The pods that capacity buffers stand for, by key of the buffer: one controller writes them, every World has them. */
export class VirtualPods {
  readonly #byBuffer = new Map<string, readonly Pod[]>();

  get(buffer: string): readonly Pod[] {
    return this.#byBuffer.get(buffer) ?? [];
  }

  set(buffer: string, pods: readonly Pod[]): void {
    if (pods.length === 0) this.#byBuffer.delete(buffer);
    else this.#byBuffer.set(buffer, pods);
  }

  /** The listers with these pods among the real ones. */
  among(listers: Listers): Listers {
    return { ...listers, pods: { list: () => [...listers.pods.list(), ...[...this.#byBuffer.values()].flat()] } };
  }
}
