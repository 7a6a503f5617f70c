import { parseNillableDuration } from './duration.ts';

/** For pools and claims that don't say. */
export const DEFAULT_EXPIRE_AFTER = '720h';

/** Milliseconds from a claim's creation until it expires; undefined for `Never` and for what is no duration. */
export function lifetimeOf({ expireAfter }: { readonly expireAfter?: string }): number | undefined {
  return parseNillableDuration(expireAfter, DEFAULT_EXPIRE_AFTER);
}
