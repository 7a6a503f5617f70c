import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';

type Prices = ReadonlyMap<string, number>;

/** What EC2 sells in a region, whatever any class wants of it. */
export interface RegionFacts {
  readonly region: string;
  /** By name of the type. */
  readonly infos: ReadonlyMap<string, InstanceTypeInfo>;
  /** The zones that sell a type. */
  readonly zonesOfTypes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Per hour, by name of the type. */
  readonly onDemand: Prices;
  /** By name of the type, then by zone; undefined where nobody knows any. */
  readonly spot: ReadonlyMap<string, Prices> | undefined;
}

type Entries<V> = readonly (readonly [string, V])[];

/** The same as JSON. */
export interface RegionFactsFile {
  readonly region: string;
  readonly infos: readonly InstanceTypeInfo[];
  readonly zones: Entries<readonly string[]>;
  readonly onDemand: Entries<number>;
  readonly spot: Entries<Entries<number>> | null;
}

export function toFile({ region, infos, zonesOfTypes, onDemand, spot }: RegionFacts): RegionFactsFile {
  return {
    region,
    infos: [...infos.values()],
    zones: [...zonesOfTypes].map(([type, zones]) => [type, [...zones]]),
    onDemand: [...onDemand],
    spot: spot ? [...spot].map(([type, prices]) => [type, [...prices]]) : null,
  };
}

export function fromFile({ region, infos, zones, onDemand, spot }: RegionFactsFile): RegionFacts {
  return {
    region,
    infos: new Map(infos.map((info) => [info.InstanceType ?? '', info])),
    zonesOfTypes: new Map(zones.map(([type, names]) => [type, new Set(names)])),
    onDemand: new Map(onDemand),
    spot: spot ? new Map(spot.map(([type, prices]) => [type, new Map(prices)])) : undefined,
  };
}
