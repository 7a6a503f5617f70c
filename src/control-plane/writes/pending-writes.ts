import type { Clock } from '../../kube/clock.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { Pod } from '../../kube/objects.ts';
import { isTerminating } from '../../kube/pods.ts';
import type { Reader } from '../../kube/store.ts';

/** After so long a pod that never showed up has come and gone unseen. */
const FORGET_AFTER = 30_000;

interface Pending {
  readonly podKey: string;
  readonly uid: string;
  readonly since: number;
}

/**
 * The pods an owner's controller has created and deleted but that its cache doesn't show yet (what upstream calls
 * expectations): as long as there are any, counting the cache would create or delete twice.
 */
export class PendingWrites {
  readonly #clock: Clock;
  readonly #pods: Reader<Pod>;
  readonly #created = new Map<string, Pending[]>();
  readonly #deleted = new Map<string, Pending[]>();

  constructor(deps: { readonly clock: Clock; readonly pods: Reader<Pod> }) {
    this.#clock = deps.clock;
    this.#pods = deps.pods;
  }

  created(owner: string, pod: Pod): void {
    this.#note(this.#created, owner, pod);
  }

  deleted(owner: string, pod: Pod): void {
    this.#note(this.#deleted, owner, pod);
  }

  /** Whether the cache shows all of the owner's writes. */
  settled(owner: string): boolean {
    const created = this.#keep(this.#created, owner, (pod) => pod === undefined);
    const deleted = this.#keep(this.#deleted, owner, (pod) => pod !== undefined && !isTerminating(pod));
    return created + deleted === 0;
  }

  forget(owner: string): void {
    this.#created.delete(owner);
    this.#deleted.delete(owner);
  }

  #note(map: Map<string, Pending[]>, owner: string, pod: Pod): void {
    const pending = { podKey: keyOf(pod), uid: pod.metadata.uid ?? '', since: this.#clock.now() };
    const list = map.get(owner);
    if (list) list.push(pending);
    else map.set(owner, [pending]);
  }

  /** Keeps the writes still to be seen, and returns their number. */
  #keep(map: Map<string, Pending[]>, owner: string, isUnseen: (pod: Pod | undefined) => boolean): number {
    const now = this.#clock.now();
    const left = (map.get(owner) ?? []).filter(({ podKey, uid, since }) => {
      const cached = this.#pods.get(podKey);
      return now - since < FORGET_AFTER && isUnseen(cached?.metadata.uid === uid ? cached : undefined);
    });
    if (left.length > 0) map.set(owner, left);
    else map.delete(owner);
    return left.length;
  }
}
