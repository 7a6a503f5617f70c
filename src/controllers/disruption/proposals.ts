import type { MethodResult } from '../../disruption/index.ts';
import type { Random } from '../../kube/clock.ts';
import { nodePoolName } from '../../scheduling/state-node.ts';

/** What a method found, waiting to be looked at again before it is carried out. */
export interface Proposal {
  readonly id: string;
  readonly result: MethodResult;
  /** When the method began, in epoch milliseconds. */
  readonly begunAt: number;
  readonly dueAt: number;
}

/** A consolidation has to look right a second time after this long (karpenter-core.md 7.6.3, 7.11.7). */
const WAIT_MS = 15_000;

/**
 * Proposals that wait. The pools of their nodes are left alone meanwhile; all others go on, while upstream's disruption waits
 * as a whole.
 */
export class Proposals {
  readonly #random: Random;
  #waiting: readonly Proposal[] = [];

  constructor(deps: { readonly random: Random }) {
    this.#random = deps.random;
  }

  add(result: MethodResult, begunAt: number, now: number): Proposal {
    const proposal = { id: this.#random.uuid(), result, begunAt, dueAt: now + WAIT_MS };
    this.#waiting = [...this.#waiting, proposal];
    return proposal;
  }

  /** Hands out those whose time has come; they wait no longer. */
  takeDue(now: number): readonly Proposal[] {
    const due = this.#waiting.filter(({ dueAt }) => dueAt <= now);
    this.#waiting = this.#waiting.filter(({ dueAt }) => dueAt > now);
    return due;
  }

  /** Pools with nodes in a proposal. */
  get pools(): ReadonlySet<string> {
    const nodes = this.#waiting.flatMap(({ result }) => result.commands.flatMap(({ candidates }) => candidates));
    return new Set(nodes.flatMap((node) => nodePoolName(node) ?? []));
  }

  /** When the next one is due, in epoch milliseconds; never, if none waits. */
  get nextDue(): number {
    return Math.min(...this.#waiting.map(({ dueAt }) => dueAt), Number.POSITIVE_INFINITY);
  }
}
