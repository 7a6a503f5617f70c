/** Where AWS answers for prices, by the start of the region's name; everywhere else it is us-east-1. */
const ENDPOINTS: Readonly<Record<string, string>> = { ap: 'ap-south-1', cn: 'cn-northwest-1', eu: 'eu-central-1' };

/** The region of the pricing API that answers for another region (aws-provider.md section 24). */
export function pricingRegion(region: string): string {
  const [continent = ''] = region.split('-');
  return ENDPOINTS[continent] ?? 'us-east-1';
}
