import type { InstanceType } from '../scheduling/instance-type.ts';
import type { OverlayUpdates } from '../scheduling/overlays/overlay-updates.ts';
import { UnevaluatedNodePoolError } from './errors.ts';

/** What overlays change, as it was last worked out: one controller writes it, everybody reads through it. */
export class OverlayStore {
  #updates: OverlayUpdates | undefined;
  /** What has been worked out for each list: callers that get the same list know that nothing has changed. */
  #applied = new Map<string, { readonly from: readonly InstanceType[]; readonly to: readonly InstanceType[] }>();

  replace(updates: OverlayUpdates): void {
    this.#updates = updates;
    this.#applied = new Map();
  }

  /**
   * The pool's types with the overlays applied.
   *
   * @throws {UnevaluatedNodePoolError} until overlays have been worked out for the pool.
   */
  apply(pool: string, types: readonly InstanceType[]): readonly InstanceType[] {
    if (!this.#updates?.has(pool)) {
      throw new UnevaluatedNodePoolError(`node overlays have not been evaluated for nodepool "${pool}"`);
    }
    const known = this.#applied.get(pool);
    if (known?.from === types) return known.to;
    const to = this.#updates.apply(pool, types);
    this.#applied.set(pool, { from: types, to });
    return to;
  }
}
