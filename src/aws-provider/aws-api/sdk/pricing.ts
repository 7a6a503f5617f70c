import { GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import type { PricingApi } from '../apis.ts';
import { pricingRegion } from './pricing-region.ts';
import { type ServiceDeps, serviceCalls } from './service-calls.ts';

/** Pricing at the nearest of the few regions that have it, over the SDK. */
export function connectPricing(deps: ServiceDeps): PricingApi {
  const region = pricingRegion(deps.settings.region);
  const call = serviceCalls(PricingClient, { ...deps, settings: { ...deps.settings, region } });
  return {
    getProducts: call(GetProductsCommand),
  };
}
