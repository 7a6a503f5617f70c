/** The part of a product in the price list that counts. */
interface PriceListItem {
  readonly product?: { readonly attributes?: { readonly instanceType?: string } };
  readonly terms?: {
    readonly OnDemand?: Readonly<
      Record<
        string,
        {
          readonly priceDimensions?: Readonly<
            Record<string, { readonly pricePerUnit?: Readonly<Record<string, string>> }>
          >;
        }
      >
    >;
  };
}

/** A positive decimal as AWS writes prices; undefined for anything else. */
export function parsePrice(text: string | undefined): number | undefined {
  const price = text?.trim() ? Number(text) : Number.NaN;
  return Number.isFinite(price) ? price : undefined;
}

/**
 * Instance type and on-demand price of one product of GetProducts; undefined for a product without either, and for those that
 * cost nothing.
 *
 * @throws SyntaxError when it is no JSON.
 */
export function onDemandPriceOf(product: string, currency: string): readonly [string, number] | undefined {
  const { product: { attributes = {} } = {}, terms: { OnDemand = {} } = {} } = JSON.parse(product) as PriceListItem;
  if (!attributes.instanceType) return undefined;
  let result: readonly [string, number] | undefined;
  for (const { priceDimensions = {} } of Object.values(OnDemand)) {
    for (const { pricePerUnit = {} } of Object.values(priceDimensions)) {
      const price = parsePrice(pricePerUnit[currency]);
      if (price) result = [attributes.instanceType, price];
    }
  }
  return result;
}
