import { VALIDATION_SUCCEEDED } from '../../../../apis/condition-types.ts';
import { LABEL_INSTANCE_TYPE } from '../../../../apis/labels.ts';
import type { NodeOverlay } from '../../../../apis/node-overlay.ts';
import type { Clock } from '../../../../kube/clock.ts';
import { conditionIsTrue } from '../../../../kube/conditions.ts';

const TTL_MS = 5 * 60_000;

export interface OverlayPricesDeps {
  readonly clock: Clock;
  /** Empty while the feature gate NodeOverlay is off. */
  readonly nodeOverlays: () => readonly NodeOverlay[];
}

/**
 * Prices that overlays give by name of the type and nothing else, for types that AWS has no price of. Looked through again
 * after five minutes (aws-provider.md section 23).
 */
export class OverlayPrices {
  readonly #deps: OverlayPricesDeps;
  #prices: ReadonlyMap<string, number> = new Map();
  #until = Number.NEGATIVE_INFINITY;

  constructor(deps: OverlayPricesDeps) {
    this.#deps = deps;
  }

  of(instanceType: string): number | undefined {
    const now = this.#deps.clock.now();
    if (now >= this.#until) {
      this.#prices = new Map(this.#deps.nodeOverlays().flatMap(pricesOf));
      this.#until = now + TTL_MS;
    }
    return this.#prices.get(instanceType);
  }
}

function pricesOf(overlay: NodeOverlay): readonly (readonly [string, number])[] {
  const { price, requirements } = overlay.spec;
  const [first, ...more] = requirements;
  if (price === undefined || !first || more.length > 0 || !conditionIsTrue(overlay, VALIDATION_SUCCEEDED)) return [];
  const amount = Number(price);
  if (first.key !== LABEL_INSTANCE_TYPE || first.operator !== 'In' || Number.isNaN(amount)) return [];
  return (first.values ?? []).map((type) => [type, amount]);
}
