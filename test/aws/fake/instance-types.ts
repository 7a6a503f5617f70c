import type { Ec2Api, PricingApi } from '../../../src/aws-provider/aws-api/apis.ts';
import { dryRunSuccess } from '../scripted-api.ts';
import type { FakeCloud } from './cloud.ts';
import { passes } from './filters.ts';
import { pageOf } from './paging.ts';

type TypeCalls = Pick<Ec2Api, 'describeInstanceTypes' | 'describeInstanceTypeOfferings' | 'describeSpotPriceHistory'>;

export function typeCalls(cloud: FakeCloud): TypeCalls {
  return {
    describeInstanceTypes: async (input) => {
      if (input.DryRun) throw dryRunSuccess();
      const found = cloud.instanceTypes.filter(
        (type) =>
          (!input.InstanceTypes?.length || input.InstanceTypes.some((name) => name === type.InstanceType)) &&
          passes(input.Filters, {
            'supported-virtualization-type': type.SupportedVirtualizationTypes ?? [],
            'processor-info.supported-architecture': type.ProcessorInfo?.SupportedArchitectures ?? [],
            'instance-type': [type.InstanceType],
          }),
      );
      const { items, ...next } = pageOf(found, input, cloud.pageLimit);
      return { InstanceTypes: items, ...next };
    },
    describeInstanceTypeOfferings: async (input) => {
      const offerings = cloud.instanceTypes.flatMap(({ InstanceType = 'm5.large' }) => {
        const unsold = cloud.notSoldIn.get(InstanceType) ?? [];
        return [...cloud.zones.keys()]
          .filter((zone) => !unsold.includes(zone))
          .map((Location) => ({ InstanceType, Location, LocationType: 'availability-zone' as const }));
      });
      const { items, ...next } = pageOf(offerings, input, cloud.pageLimit);
      return { InstanceTypeOfferings: items, ...next };
    },
    describeSpotPriceHistory: async (input) => {
      const prices = [...cloud.spotPrices].map(([pool, price]) => {
        const [InstanceType, AvailabilityZone] = pool.split('/');
        return {
          InstanceType: InstanceType as (typeof cloud.instanceTypes)[number]['InstanceType'],
          AvailabilityZone,
          SpotPrice: String(price),
          ProductDescription: 'Linux/UNIX' as const,
          Timestamp: new Date(cloud.clock.now()),
        };
      });
      const { items, ...next } = pageOf(prices, input, cloud.pageLimit);
      return { SpotPriceHistory: items, ...next };
    },
  };
}

/** GetProducts: virtual machines under the tenancy Shared, bare metal under Dedicated. */
export function pricingApi(cloud: FakeCloud): PricingApi {
  return {
    getProducts: async ({ Filters = [], ...input }) => {
      const value = (field: string) => Filters.find(({ Field }) => Field === field)?.Value;
      const wantsMetal = value('tenancy') === 'Dedicated';
      const products =
        value('regionCode') === cloud.region
          ? [...cloud.onDemandPrices].filter(([name]) => name.includes('metal') === wantsMetal)
          : [];
      const { items, ...next } = pageOf(products, input, cloud.pageLimit);
      return { PriceList: items.map(([name, price]) => product(name, price)), ...next };
    },
  };
}

function product(instanceType: string, price: number): string {
  const priceDimensions = { rate: { unit: 'Hrs', pricePerUnit: { USD: String(price) } } };
  return JSON.stringify({
    product: { attributes: { instanceType } },
    terms: { OnDemand: { term: { priceDimensions } } },
  });
}
