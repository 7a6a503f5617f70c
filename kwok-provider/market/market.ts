import { onSale } from '../../src/cloudprovider/on-sale.ts';
import * as soldOut from '../../src/cloudprovider/sold-out.ts';
import type { InstanceType } from '../../src/scheduling/instance-type.ts';
import { KWOK_GROUP, type KWOKNodeClass } from '../apis/kwok-node-class.ts';
import { ANNOTATION_SOLD_OUT } from '../apis/labels.ts';

/** What the cloud of a node class has sold out, as its annotation says. */
export const soldOutOf = (nodeClass: KWOKNodeClass | undefined): readonly soldOut.SoldOut[] =>
  soldOut.soldOutOf(nodeClass, KWOK_GROUP);

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
