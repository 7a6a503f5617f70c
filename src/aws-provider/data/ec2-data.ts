import bandwidth from './network-bandwidth.generated.json' with { type: 'json' };
import limits from './network-limits.generated.json' with { type: 'json' };
import prices from './on-demand-prices.generated.json' with { type: 'json' };

/** What is known of EC2 without asking it, as hack/generate-ec2-data.ts writes it (aws-provider.md sections 21, 22, 24). */

export interface NetworkLimits {
  /** Addresses of each network interface, its own included. */
  readonly ipv4PerInterface: number;
  /** Interfaces that pods can have for themselves; 0 where the type can't give them any. */
  readonly branchInterfaces: number;
}

/** What EC2 charged for Linux on shared tenancy, per hour, in USD (in China: CNY). */
export interface ListPrices {
  /** The day of the prices, YYYY-MM-DD. */
  readonly asOf: string;
  /** By name of the type. */
  readonly prices: ReadonlyMap<string, number>;
}

const MEGABITS = new Map<string, number>(Object.entries(bandwidth.megabits));
const LIMITS = new Map<string, readonly number[]>(Object.entries(limits.types));

/** Megabits per second that a type's network carries all the time; unknown for those of which AWS says "High" and the like. */
export function networkBandwidthMbps(instanceType: string): number | undefined {
  return MEGABITS.get(instanceType);
}

export function networkLimitsOf(instanceType: string): NetworkLimits | undefined {
  const [ipv4PerInterface, branchInterfaces] = LIMITS.get(instanceType) ?? [];
  if (ipv4PerInterface === undefined || branchInterfaces === undefined) return undefined;
  return { ipv4PerInterface, branchInterfaces };
}

/** Of the regions that stand for their partitions: us-east-1, cn-north-1, us-gov-east-1, us-gov-west-1. */
export function onDemandListPrices(region: string): ListPrices | undefined {
  const found = new Map<string, { asOf: string; prices: Readonly<Record<string, number>> }>(
    Object.entries(prices.regions),
  ).get(region);
  return found && { asOf: found.asOf, prices: new Map(Object.entries(found.prices)) };
}
