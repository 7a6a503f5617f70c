import type { Image } from '@aws-sdk/client-ec2';
import type { Ami } from '../contracts.ts';
import { type ImageRequirements, ofArchitecture } from './variants.ts';

/**
 * Keeps, for each set of requirements, the image that nodes are to be launched with: one that is not deprecated before one
 * that is, then the newest, then the one whose name comes last (aws-provider.md section 9).
 */
export class NewestImages {
  readonly #now: number;
  readonly #byRequirements = new Map<string, Ami>();

  /** @param now epoch milliseconds */
  constructor(now: number) {
    this.#now = now;
  }

  /** @param variants what the image is for; one of them is enough for a node. Its architecture is always asked for. */
  add(image: Image, variants: readonly ImageRequirements[] = [[]]): void {
    const architecture = ofArchitecture(image.Architecture);
    if (!architecture) return;
    for (const variant of variants) {
      const ami: Ami = {
        id: image.ImageId ?? '',
        name: image.Name ?? '',
        creationDate: image.CreationDate ?? '',
        deprecated: secondsOf(image.DeprecationTime, Number.POSITIVE_INFINITY) <= Math.floor(this.#now / 1000),
        requirements: [...variant, architecture],
      };
      const key = JSON.stringify(ami.requirements.map(({ key, ...rest }) => [key, rest]).sort());
      const known = this.#byRequirements.get(key);
      if (!known || compare(ami, known) < 0) this.#byRequirements.set(key, ami);
    }
  }

  /** Newest first; those of one second by id. */
  list(): readonly Ami[] {
    return [...this.#byRequirements.values()].sort((a, b) => byAge(a, b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }
}

function compare(a: Ami, b: Ami): number {
  if (a.deprecated !== b.deprecated) return a.deprecated ? 1 : -1;
  const [aName = '', bName = ''] = [a.name, b.name];
  return byAge(a, b) || (aName > bName ? -1 : aName < bName ? 1 : 0);
}

function byAge(a: Ami, b: Ami): number {
  const [aTime, bTime] = [secondsOf(a.creationDate, 0), secondsOf(b.creationDate, 0)];
  return bTime - aTime;
}

/** Epoch seconds of an RFC 3339 time. */
function secondsOf(text: string | undefined, absent: number): number {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? absent : Math.floor(ms / 1000);
}
