import { onDemandListPrices } from '../data/ec2-data.ts';
import { ec2Types } from '../data/ec2-types.ts';
import { initialPrices } from '../providers/pricing/regions.ts';
import type { RegionFacts } from './region-facts.ts';

export interface Zone {
  readonly zone: string;
  /** The same for all accounts, while names of zones are shuffled for each. */
  readonly zoneID?: string;
}

/** Which zones of a region sell what. */
export interface ZonesOfTypes {
  readonly region: string;
  /** By the last letter of a zone's name. */
  readonly zoneIDs: Readonly<Record<string, string>>;
  /** `zones`: the letters of those that sell the type. */
  readonly types: readonly { readonly name: string; readonly zones: string }[];
}

/** The zones of a region of which a cluster tells nothing: those that the catalogue knows, else three. */
export function assumedZones(region: string, catalogue: Pick<ZonesOfTypes, 'region' | 'zoneIDs'>): readonly Zone[] {
  const known = Object.entries(catalogue.zoneIDs).map(([letter, zoneID]) => ({ zone: `${region}${letter}`, zoneID }));
  return region === catalogue.region ? known : ['a', 'b', 'c'].map((letter) => ({ zone: `${region}${letter}` }));
}

export interface ShippedDeps {
  readonly region: string;
  /** Those that are known of: the classes have subnets there. */
  readonly zones: readonly Zone[];
  readonly catalogue: ZonesOfTypes;
  /** What spot costs of the on-demand price: no prices of spot come with the program. */
  readonly spotShare: (instanceType: string, zone: string) => number;
}

/**
 * What is known of EC2 without asking it: types, list prices, and for one region the zones that sell a type. In other regions
 * every type that has a price there is taken to be sold in all zones.
 */
export function shippedFacts({ region, zones: known, catalogue, spotShare }: ShippedDeps): RegionFacts {
  const onDemand = initialPrices(onDemandListPrices, region);
  const infos = new Map([...ec2Types()].filter(([name]) => onDemand.has(name)));
  const zonesOfTypes =
    region === catalogue.region ? zonesByCatalogue(known, catalogue) : everywhere(infos.keys(), known);
  const spot = new Map(
    [...zonesOfTypes].map(([type, zones]) => {
      const price = onDemand.get(type) ?? 0;
      return [type, new Map([...zones].map((zone) => [zone, price * spotShare(type, zone)]))];
    }),
  );
  return { region, infos, zonesOfTypes, onDemand, spot };
}

function everywhere(types: Iterable<string>, zones: readonly Zone[]): RegionFacts['zonesOfTypes'] {
  const names = new Set(zones.map(({ zone }) => zone));
  return new Map(Array.from(types, (type) => [type, names]));
}

/** A zone that tells its id is found by that, any other by its letter. */
function zonesByCatalogue(
  known: readonly Zone[],
  { region, zoneIDs, types }: ZonesOfTypes,
): RegionFacts['zonesOfTypes'] {
  const letters = Object.entries(zoneIDs);
  const letterOf = ({ zone, zoneID }: Zone) =>
    letters.find(([, id]) => id === zoneID)?.[0] ?? zone.slice(region.length);
  const named = new Set(known.map(({ zone }) => zone));
  const others = letters
    .map(([letter]): Zone => ({ zone: `${region}${letter}` }))
    .filter(({ zone }) => !named.has(zone));
  const zones = [...known, ...others].map((each) => ({ zone: each.zone, letter: letterOf(each) }));
  return new Map(
    types.map(({ name, zones: sold }) => [
      name,
      new Set(zones.filter(({ letter }) => sold.includes(letter)).map(({ zone }) => zone)),
    ]),
  );
}
