import { parseInt64 } from './label-requirement.ts';
import type { Taint, Toleration } from './objects.ts';

/** Integers as the API writes them: no plus sign, no leading zeros. */
const CANONICAL_INTEGER = /^(0|-?[1-9]\d*)$/;

const integer = (text: string | undefined): bigint | undefined =>
  text !== undefined && CANONICAL_INTEGER.test(text) ? parseInt64(text) : undefined;

/**
 * Whether one toleration tolerates one taint: an empty effect stands for all effects, an empty key for all keys; `Gt` and
 * `Lt` hold when the taint's integer is above or below the toleration's (core/v1 Toleration.ToleratesTaint).
 */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator || 'Equal') {
    case 'Equal':
      return (toleration.value ?? '') === (taint.value ?? '');
    case 'Exists':
      return true;
    case 'Gt':
    case 'Lt': {
      const bound = integer(toleration.value);
      const actual = integer(taint.value);
      if (bound === undefined || actual === undefined) return false;
      return toleration.operator === 'Gt' ? actual > bound : actual < bound;
    }
    default:
      return false;
  }
}

/** The first taint of one of the effects that none of the tolerations tolerates. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): Taint | undefined {
  return taints?.find(
    (taint) => effects.includes(taint.effect) && !tolerations?.some((toleration) => tolerates(toleration, taint)),
  );
}
