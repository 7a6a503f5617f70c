import { goSortMoved } from './go-sort.ts';
import { NumberList } from './number-list.ts';

/**
 * The order in which upstream tries open claims: fewest pods first, ties where Go's sort leaves them. Claims are numbers from
 * 0 on; there can be thousands, and every pod goes through them.
 */
export class TrialOrder {
  readonly #list = new NumberList();
  #order = this.#list.first(0);
  readonly #pods: number[] = [];
  /** Where the claim is that got the last pod; all others are in order. */
  #moved = -1;
  readonly #hasFewerPods = (a: number, b: number): boolean => (this.#pods[a] as number) < (this.#pods[b] as number);

  /** As it stands; the claim that got the last pod is still where it was. */
  get current(): Int32Array {
    return this.#order;
  }

  /** In order; good until the next change. */
  indexes(): Int32Array {
    if (this.#moved >= 0) goSortMoved(this.#order, this.#moved, this.#hasFewerPods);
    this.#moved = -1;
    return this.#order;
  }

  /** The claim at this position of `indexes()` got a pod. */
  gotPod(position: number): void {
    const index = this.#order[position] as number;
    this.#pods[index] = (this.#pods[index] as number) + 1;
    this.#moved = position;
  }

  /** One more claim, with its first pod. */
  append(): void {
    this.indexes();
    const index = this.#pods.push(1) - 1;
    this.#list.put(index, index);
    this.#order = this.#list.first(index + 1);
    this.#moved = index;
  }
}
