type Prices = ReadonlyMap<string, number>;

export const isChinaRegion = (region: string): boolean => region.startsWith('cn-');
export const isGovRegion = (region: string): boolean => region.startsWith('us-gov-');

/** Where the price list of a region is served: the pricing API has few endpoints (aws-provider.md section 24). */
export function pricingEndpointRegion(region: string): string {
  if (region.startsWith('ap-')) return 'ap-south-1';
  if (isChinaRegion(region)) return 'cn-northwest-1';
  if (region.startsWith('eu-')) return 'eu-central-1';
  return 'us-east-1';
}

/** The currency of a region's price list. */
export const currencyOf = (region: string): string => (isChinaRegion(region) ? 'CNY' : 'USD');

/** The prices to begin with, by instance type: the region's own, or those of a region in the same partition. */
export function initialPrices(
  listPrices: (region: string) => { readonly prices: Prices } | undefined,
  region: string,
): Prices {
  return (listPrices(region) ?? listPrices(regionWithPrices(region)))?.prices ?? new Map();
}

function regionWithPrices(region: string): string {
  if (isChinaRegion(region)) return 'cn-north-1';
  return isGovRegion(region) ? 'us-gov-west-1' : 'us-east-1';
}
