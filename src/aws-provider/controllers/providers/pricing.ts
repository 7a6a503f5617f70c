import { combinedError } from '../../../controllers/combined-error.ts';
import type { ControllerSpec } from '../../../kube/controller.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { PricingProvider } from '../../providers/contracts.ts';

const PERIOD_MS = 12 * 3_600_000;

/** Keeps prices up to date (aws-provider.md section 24); what fails is tried again with back-off. */
export class PricingController implements ControllerSpec {
  readonly name = 'providers.pricing';
  readonly watches = [];
  readonly initialKeys = ['all'];
  readonly #pricing: Pick<PricingProvider, 'updateOnDemandPricing' | 'updateSpotPricing'>;

  constructor({ pricing }: { readonly pricing: Pick<PricingProvider, 'updateOnDemandPricing' | 'updateSpotPricing'> }) {
    this.#pricing = pricing;
  }

  async reconcile(_key: string, signal: AbortSignal) {
    const outcomes = await Promise.allSettled([
      this.#pricing.updateSpotPricing(signal),
      this.#pricing.updateOnDemandPricing(signal),
    ]);
    const error = combinedError(outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason as unknown] : [])));
    if (error !== undefined) {
      throw wrappedError('updating pricing', error);
    }
    return { requeueAfter: PERIOD_MS };
  }
}
