import type { SeededChoices } from '../parity/random.ts';

/** What may go wrong between the controller and the API. */
export const API_FAULTS = [
  'conflict',
  'throttled',
  'server error',
  'unavailable',
  'refused',
  'no answer',
  'no answer, but done',
  'answer lost',
  'answer late',
  'old list',
  'watch dropped',
  'watch closed',
  'watch expired',
  'watch late',
] as const;

/** And between it and the cloud. */
export const CLOUD_FAULTS = [
  'no capacity',
  'create refused',
  'created, but failed',
  'delete refused',
  'deleted, but failed',
  'get refused',
  'list refused',
  'list partial',
] as const;

/** And between it and AWS, after the SDK's own tries. */
export const AWS_FAULTS = [
  'aws throttled',
  'aws out of order',
  'aws unreachable',
  'aws done, but cut',
  'aws late',
] as const;

export type FaultKind = (typeof API_FAULTS)[number] | (typeof CLOUD_FAULTS)[number] | (typeof AWS_FAULTS)[number];

/** Decides by its seed when something goes wrong, and counts what did. */
export class Faults {
  readonly choices: SeededChoices;
  readonly counts = new Map<FaultKind, number>();
  /** Share of calls that go wrong, 0 to 1. */
  rate: number;

  constructor(choices: SeededChoices, rate: number) {
    this.choices = choices;
    this.rate = rate;
  }

  /** One of these kinds, or undefined when all goes well this time. `share` makes it rarer than the rate says. */
  draw<K extends FaultKind>(kinds: readonly K[], share = 1): K | undefined {
    if (kinds.length === 0 || !this.choices.chance(this.rate * share)) return undefined;
    const kind = this.choices.pick(kinds);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    return kind;
  }
}
