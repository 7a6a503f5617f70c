import type { Clock } from '../../kube/clock.ts';
import { SILENT } from '../../logging/logger.ts';
import type { AwsApis } from '../aws-api/apis.ts';
import { onDemandListPrices } from '../data/ec2-data.ts';
import { describeTypes, describeZonesOfTypes } from '../providers/instance-type/described-types.ts';
import { Ec2PricingProvider } from '../providers/pricing/pricing-provider.ts';
import type { RegionFacts } from './region-facts.ts';

export interface LiveFacts {
  readonly facts: RegionFacts;
  /** What AWS would not tell, in words: prices may be kept from who asks, and then those of the program's own table count. */
  readonly problems: readonly string[];
}

/** Asks AWS what EC2 sells in the region and at what price: reads, and nothing else. Rejects without the types. */
export async function liveFacts(
  { ec2, pricing: pricingApi }: Pick<AwsApis, 'ec2' | 'pricing'>,
  region: string,
  clock: Clock,
  signal?: AbortSignal,
): Promise<LiveFacts> {
  const pricing = new Ec2PricingProvider({
    ...{ ec2, clock, region, log: SILENT, isolatedVPC: false, listPrices: onDemandListPrices },
    pricing: pricingApi,
  });
  const problems: string[] = [];
  const tried = async (work: Promise<void>): Promise<boolean> => {
    try {
      await work;
      return true;
    } catch (error) {
      signal?.throwIfAborted();
      problems.push((error as Error).message);
      return false;
    }
  };
  const [infos, zonesOfTypes, , hasSpot] = await Promise.all([
    describeTypes(ec2, signal),
    describeZonesOfTypes(ec2, signal),
    tried(pricing.updateOnDemandPricing(signal)),
    tried(pricing.updateSpotPricing(signal)),
  ]);
  const zones = new Set([...zonesOfTypes.values()].flatMap((names) => [...names]));
  const types = pricing.instanceTypes();
  const facts = {
    region,
    infos,
    zonesOfTypes,
    onDemand: new Map(types.flatMap((type) => entry(type, pricing.onDemandPrice(type)))),
    spot: hasSpot
      ? new Map(
          types.map((type) => [
            type,
            new Map([...zones].flatMap((zone) => entry(zone, pricing.spotPrice(type, zone)))),
          ]),
        )
      : undefined,
  };
  return { facts, problems };
}

const entry = (key: string, price: number | undefined): readonly (readonly [string, number])[] =>
  price === undefined ? [] : [[key, price]];
