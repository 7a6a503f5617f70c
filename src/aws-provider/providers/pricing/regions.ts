type PriceTable = Readonly<Record<string, number>>;
/** On-demand prices per hour by instance type, by region. */
export type PriceTables = Readonly<Record<string, PriceTable>>;

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

/** The prices to begin with: the region's own, or those of a region in the same partition. */
export function initialPrices(tables: PriceTables, region: string): PriceTable {
  const own = tables[region];
  if (own) return own;
  if (isChinaRegion(region)) return tables['cn-north-1'] ?? {};
  if (isGovRegion(region)) return tables['us-gov-west-1'] ?? {};
  return tables['us-east-1'] ?? {};
}
