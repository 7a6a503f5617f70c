import type { InstanceType } from '../../src/scheduling/instance-type.ts';
import type { KWOKNodeClass } from '../apis/kwok-node-class.ts';
import { ANNOTATION_SOLD_OUT, offeringOf, parseSoldOut, type SoldOut, soldOutUntil } from './sold-out.ts';

/** What the cloud of a node class has sold out, as its annotation says. */
export function soldOutOf(nodeClass: KWOKNodeClass | undefined): readonly SoldOut[] {
  return parseSoldOut(nodeClass?.metadata.annotations?.[ANNOTATION_SOLD_OUT]);
}

/**
 * The types with what is sold out at `now` marked as not available; types that nothing is sold out of stay the same
 * objects, since the packer learns them by identity.
 */
export function onSale(
  types: readonly InstanceType[],
  soldOut: readonly SoldOut[],
  now: number,
): readonly InstanceType[] {
  if (soldOut.length === 0) return types;
  return types.map((type) => {
    const ends = type.offerings.map((offering) => soldOutUntil(soldOut, offeringOf(type.name, offering), now));
    if (ends.every((end) => end === undefined)) return type;
    const offerings = type.offerings.map((offering, i) => {
      const end = ends[i];
      if (end === undefined) return offering;
      return { ...offering, available: false, ...(Number.isFinite(end) ? { unavailableUntil: end } : {}) };
    });
    return { ...type, offerings };
  });
}

/** Answers `onSale` again without work while nothing changes. */
export class Market {
  readonly #types: readonly InstanceType[];
  /** By what the annotation says and the next time at which it says something else. */
  readonly #known = new Map<string, { readonly until: number; readonly types: readonly InstanceType[] }>();

  constructor(types: readonly InstanceType[]) {
    this.#types = types;
  }

  typesOf(nodeClass: KWOKNodeClass | undefined, now: number): readonly InstanceType[] {
    const text = nodeClass?.metadata.annotations?.[ANNOTATION_SOLD_OUT];
    if (!text) return this.#types;
    const known = this.#known.get(text);
    if (known && now < known.until) return known.types;
    const soldOut = soldOutOf(nodeClass);
    const ends = soldOut.flatMap(({ until }) => (until !== undefined && until > now ? [until] : []));
    const types = onSale(this.#types, soldOut, now);
    // Annotations change with every interruption; only the last few are asked for again.
    if (this.#known.size >= 16) this.#known.clear();
    this.#known.set(text, { until: Math.min(...ends, Number.POSITIVE_INFINITY), types });
    return types;
  }
}
