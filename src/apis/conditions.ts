import type { Condition, KubeObject } from '../kube/objects.ts';
import { formatTimestamp } from '../kube/timestamp.ts';

/** Which conditions a kind has: the root sums up its dependents; others stand for themselves. */
export interface ConditionTypes {
  readonly root: string;
  readonly dependents: readonly string[];
}

/** An object with `status.conditions`. */
export interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Reason of a condition before anybody has looked. */
export const AWAITING_RECONCILIATION = 'AwaitingReconciliation';
const AWAITING = { reason: AWAITING_RECONCILIATION, message: 'object is awaiting reconciliation' };

const NO_TIME = '1970-01-01T00:00:00Z';
const time = (condition: Condition): number => Date.parse(condition.lastTransitionTime ?? NO_TIME);

/**
 * The conditions of one object while a controller works on it. The object itself is not touched: `applied` answers a copy.
 * Every known condition exists from the start, as Unknown since the object's creation, which is what liveness timers
 * count from (karpenter-core.md 1.9; upstream's operatorpkg condition set).
 */
export class ConditionSet {
  readonly #object: Conditioned;
  readonly #types: ConditionTypes;
  readonly #now: number;
  #conditions: readonly Condition[];

  /** @param now epoch milliseconds. */
  constructor(object: Conditioned, types: ConditionTypes, now: number) {
    this.#object = object;
    this.#types = types;
    this.#now = now;
    this.#conditions = object.status?.conditions ?? [];
    for (const type of [types.root, ...types.dependents]) {
      if (!this.get(type)) this.setUnknown(type, AWAITING.reason, AWAITING.message);
    }
  }

  get conditions(): readonly Condition[] {
    return this.#conditions;
  }

  get(type: string): Condition | undefined {
    return this.#conditions.find((condition) => condition.type === type);
  }

  isTrue(type: string): boolean {
    return this.get(type)?.status === 'True';
  }

  isFalse(type: string): boolean {
    return this.get(type)?.status === 'False';
  }

  isUnknown(type: string): boolean {
    return this.get(type)?.status === 'Unknown';
  }

  /** Epoch milliseconds at which the condition took its status. */
  since(type: string): number {
    const condition = this.get(type);
    return condition ? time(condition) : 0;
  }

  /** Without a reason the type's own name is the reason. Answers whether anything changed. */
  setTrue(type: string, reason = type, message = ''): boolean {
    return this.#set({ type, status: 'True', reason, message });
  }

  setUnknown(type: string, reason = AWAITING.reason, message = AWAITING.message): boolean {
    return this.#set({ type, status: 'Unknown', reason, message });
  }

  setFalse(type: string, reason: string, message: string): boolean {
    return this.#set({ type, status: 'False', reason, message });
  }

  /** Removes a condition that is neither root nor dependent; the rest is left by name. Answers whether it was there. */
  clear(type: string): boolean {
    if (this.#isKnown(type) || !this.get(type)) return false;
    this.#conditions = this.#conditions
      .filter((condition) => condition.type !== type)
      .sort((a, b) => (a.type < b.type ? -1 : 1));
    return true;
  }

  /** The object with these conditions. */
  applied<T extends Conditioned>(object: T): T {
    return { ...object, status: { ...object.status, conditions: this.#conditions } };
  }

  #isKnown(type: string): boolean {
    return type === this.#types.root || this.#types.dependents.includes(type);
  }

  #set(wanted: Condition): boolean {
    const { generation, creationTimestamp, deletionTimestamp } = this.#object.metadata;
    const previous = this.get(wanted.type);
    const unchanged = previous?.status === wanted.status;
    const created = creationTimestamp ?? NO_TIME;
    const initial = this.#isKnown(wanted.type) ? created : formatTimestamp(this.#now);
    const condition: Condition = {
      ...wanted,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      lastTransitionTime: unchanged
        ? (previous.lastTransitionTime ?? created)
        : previous
          ? formatTimestamp(this.#now)
          : initial,
    };
    if (previous && sameCondition(previous, condition)) return false;
    const others = this.#conditions
      .filter((c) => c.type !== wanted.type)
      .map((c) => (deletionTimestamp && generation !== undefined ? { ...c, observedGeneration: generation } : c));
    this.#conditions = [...others, condition].sort((a, b) => this.#compare(a, b));
    if (wanted.type !== this.#types.root) this.#recomputeRoot();
    return true;
  }

  /** Oldest transition first, the root last. */
  #compare(a: Condition, b: Condition): number {
    const { root } = this.#types;
    if (a.type === root || b.type === root) return Number(a.type === root) - Number(b.type === root);
    return time(a) - time(b);
  }

  #recomputeRoot(): void {
    const generation = this.#object.metadata.generation;
    const unhealthy = this.#conditions
      .filter((c) => this.#types.dependents.includes(c.type))
      .filter((c) => c.status !== 'True' || (c.observedGeneration ?? 0) !== (generation ?? 0))
      .sort((a, b) => time(b) - time(a));
    if (unhealthy.length === 0) {
      this.setTrue(this.#types.root);
      return;
    }
    const failed = unhealthy.some((c) => c.status === 'False' && (c.observedGeneration ?? 0) === (generation ?? 0));
    const message = unhealthy.map((c) => `${c.type}=${c.status}`).join(', ');
    if (failed) this.setFalse(this.#types.root, 'UnhealthyDependents', message);
    else this.setUnknown(this.#types.root, 'ReconcilingDependents', message);
  }
}

function sameCondition(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    (a.message ?? '') === (b.message ?? '') &&
    a.lastTransitionTime === b.lastTransitionTime &&
    a.observedGeneration === b.observedGeneration
  );
}
