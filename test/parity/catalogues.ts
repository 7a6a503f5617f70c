import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  genericInstanceTypes,
  type InstanceTypeOptions,
  type OfferingOptions,
} from '../../kwok-provider/instance-types/index.ts';

export const genericCatalogue = genericInstanceTypes;

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
export function reservedCatalogue(): InstanceTypeOptions[] {
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
      { key: 'karpenter.kwok.sh/reservation-id', operator: 'In', values: [id] },
    ],
  };
}

let file: string | undefined;

/** The reserved catalogue as a file that upstream can read. */
export function catalogueFile(): string {
  if (file === undefined) {
    file = join(mkdtempSync(join(tmpdir(), 'catalogue-')), 'reserved.json');
    writeFileSync(file, JSON.stringify(reservedCatalogue()));
  }
  return file;
}
