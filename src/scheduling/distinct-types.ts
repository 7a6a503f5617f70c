import type { InstanceType } from './instance-type.ts';
import type { PoolAndTypes } from './types.ts';

/** The types of all pools; what many pools sell is there once. */
export function distinctTypes(pools: readonly PoolAndTypes[]): ReadonlySet<InstanceType> {
  return new Set(pools.flatMap(({ instanceTypes }) => instanceTypes));
}
