import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  genericInstanceTypes,
  type InstanceTypeOptions,
  type OfferingOptions,
  toInstanceType,
} from '../../kwok-provider/instance-types/index.ts';
import type { ResourceList } from '../../src/kube/objects.ts';
import type { InstanceType } from '../../src/scheduling/index.ts';
import { toResources } from '../../src/scheduling/resource-list.ts';
import { SeededChoices } from './random.ts';

/** `generic`: the kwok provider's own; `uneven`: some of it sold out or of another size; `large`: more than a claim may name. */
export type CatalogueName = 'generic' | 'reserved' | 'uneven' | 'large';

/** An offering with what the kwok provider's format can't say; the oracle reads it too. */
interface UnevenOffering extends OfferingOptions {
  readonly soldOut?: boolean;
  readonly capacityOverride?: ResourceList;
  /** Reserved for the kubelet. */
  readonly overheadOverride?: ResourceList;
}

type Catalogue = readonly (InstanceTypeOptions & { readonly offerings: readonly UnevenOffering[] })[];

export const RESERVATION_ID = 'karpenter.kwok.sh/reservation-id';

/** Type → reservations of it: id, zone, how many nodes. */
const RESERVED: Readonly<Record<string, readonly (readonly [string, string, number])[]>> = {
  'c-2x-amd64-linux': [['r-1', 'test-zone-a', 1]],
  'c-4x-amd64-linux': [
    ['r-2', 'test-zone-a', 2],
    ['r-3', 'test-zone-b', 1],
  ],
  's-4x-arm64-linux': [['r-4', 'test-zone-c', 0]],
  's-8x-amd64-linux': [['r-5', 'test-zone-b', 1]],
  'm-16x-amd64-linux': [['r-6', 'test-zone-d', 3]],
};

/** The made-up types, some of them with capacity that has been paid for. */
export function reservedCatalogue(): Catalogue {
  return genericInstanceTypes().map((type) => ({
    ...type,
    offerings: [...type.offerings, ...(RESERVED[type.name] ?? []).map(reservation)],
  }));
}

function reservation([id, zone, count]: readonly [string, string, number]): OfferingOptions {
  return {
    Price: 0.000001,
    Available: true,
    ReservationCapacity: count,
    Requirements: [
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved'] },
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] },
      { key: RESERVATION_ID, operator: 'In', values: [id] },
    ],
  };
}

/** A third of the offerings is sold out; some are larger, or leave less to pods. */
function unevenCatalogue(): Catalogue {
  const choices = new SeededChoices(7);
  return genericInstanceTypes().map((type) => ({
    ...type,
    resources: choices.chance(0.2) ? { ...type.resources, 'example.com/gpu': '1' } : type.resources,
    offerings: type.offerings.map((offering) => ({
      ...offering,
      Price: offering.Price * choices.pick([1, 1, 1.25, 0.5]),
      ...(choices.chance(0.35) ? { soldOut: true } : {}),
      ...(choices.chance(0.08)
        ? { capacityOverride: choices.pick<ResourceList>([{ memory: '2Gi' }, { 'hugepages-2Mi': '1Gi' }]) }
        : {}),
      ...(choices.chance(0.08) ? { overheadOverride: { cpu: '500m' } } : {}),
    })),
  }));
}

/** Five generations of the made-up types, each a little cheaper. */
function largeCatalogue(): Catalogue {
  return [1, 2, 3, 4, 5].flatMap((generation) =>
    genericInstanceTypes().map((type) => ({
      ...type,
      name: type.name.replace('-', `${generation}-`),
      offerings: type.offerings.map((offering) => ({ ...offering, Price: offering.Price * (1 - generation / 50) })),
    })),
  );
}

const MAKERS: Readonly<Record<CatalogueName, () => Catalogue>> = {
  generic: genericInstanceTypes,
  reserved: reservedCatalogue,
  uneven: unevenCatalogue,
  large: largeCatalogue,
};

const types = new Map<CatalogueName, readonly InstanceType[]>();

/** What we make of the catalogue. */
export function instanceTypes(name: CatalogueName): readonly InstanceType[] {
  let known = types.get(name);
  if (!known) {
    known = MAKERS[name]().map((options) => withOfferings(toInstanceType(options), options.offerings));
    types.set(name, known);
  }
  return known;
}

function withOfferings(type: InstanceType, options: readonly UnevenOffering[]): InstanceType {
  return {
    ...type,
    offerings: type.offerings.map((offering, i) => {
      const { soldOut = false, capacityOverride, overheadOverride } = options[i] ?? {};
      return {
        ...offering,
        available: !soldOut,
        ...(capacityOverride ? { capacityOverride: toResources(capacityOverride) } : {}),
        ...(overheadOverride ? { overheadOverride: { kubeReserved: toResources(overheadOverride) } } : {}),
      };
    }),
  };
}

let folder: string | undefined;
const files = new Map<CatalogueName, string>();

/** The catalogue as a file that the oracle can read; undefined for its own. */
export function catalogueFile(name: CatalogueName): string | undefined {
  if (name === 'generic') return undefined;
  let file = files.get(name);
  if (file === undefined) {
    folder ??= mkdtempSync(join(tmpdir(), 'catalogue-'));
    file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(MAKERS[name]()));
    files.set(name, file);
  }
  return file;
}
