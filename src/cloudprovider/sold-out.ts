import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_ZONE } from '../apis/labels.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { Offering } from '../scheduling/instance-type.ts';

/**
 * The annotation of node classes of an API group that says what their cloud has sold out, as `soldOutText` writes it: on a
 * KWOKNodeClass people write it and the fake cloud obeys; on an EC2NodeClass the controller writes what EC2 refused.
 */
export const soldOutAnnotation = (group: string): string => `${group}/sold-out`;

/** Offerings by type, zone and capacity type; in each `*` stands for any text, also for none. */
export interface OfferingPattern {
  readonly type: string;
  readonly zone: string;
  readonly capacityType: string;
}

/** Offerings that can't be bought, for good or until a time in epoch milliseconds. */
export interface SoldOut extends OfferingPattern {
  readonly until?: number;
}

const PART = /^[a-z0-9.*-]+$/;

/** Reads `TYPE/ZONE/CAPACITY-TYPE`; parts that are left out at the end are any. Undefined for anything else. */
export function parseOfferingPattern(text: string): OfferingPattern | undefined {
  const parts = text.split('/');
  if (parts.length > 3 || !parts.every((part) => PART.test(part))) return undefined;
  const [type = '*', zone = '*', capacityType = '*'] = parts;
  return { type, zone, capacityType };
}

export const patternText = ({ type, zone, capacityType }: OfferingPattern): string => `${type}/${zone}/${capacityType}`;

/** What the annotation of a node class says, of the API group of its kind. */
export const soldOutOf = (nodeClass: KubeObject | undefined, group: string): readonly SoldOut[] =>
  parseSoldOut(nodeClass?.metadata.annotations?.[soldOutAnnotation(group)]);

/** Reads the annotation; what is no pattern is passed over, since people may write it by hand. */
export function parseSoldOut(text: string | undefined): readonly SoldOut[] {
  return (text ?? '').split(',').flatMap((entry) => {
    const [offering = '', time] = entry.trim().split('@');
    const pattern = parseOfferingPattern(offering);
    if (!pattern) return [];
    const until = time === undefined ? Number.NaN : Date.parse(time);
    return [Number.isNaN(until) ? pattern : { ...pattern, until }];
  });
}

/** The annotation: patterns separated by commas, each with `@` and its RFC 3339 end when it has one. */
export function soldOutText(entries: readonly SoldOut[]): string {
  return entries
    .map((entry) =>
      entry.until === undefined ? patternText(entry) : `${patternText(entry)}@${new Date(entry.until).toISOString()}`,
    )
    .join(',');
}

/** The entries that still hold at `now`, with `added`, each pattern once. */
export function withSoldOut(entries: readonly SoldOut[], added: readonly SoldOut[], now: number): readonly SoldOut[] {
  const replaced = new Set(added.map(patternText));
  return [...entries.filter((entry) => holds(entry, now) && !replaced.has(patternText(entry))), ...added];
}

/** The entries that still hold at `now`, but for those that `pattern` covers whole. */
export function withoutSoldOut(entries: readonly SoldOut[], pattern: OfferingPattern, now: number): readonly SoldOut[] {
  return entries.filter((entry) => holds(entry, now) && !matches(pattern, entry));
}

/** Of two patterns, whether some offering could be of both: a wildcard in either meets the other's text. */
export function overlaps(a: OfferingPattern, b: OfferingPattern): boolean {
  return PARTS.every((part) => glob(a[part]).test(b[part]) || glob(b[part]).test(a[part]));
}

/**
 * Tells until when an offering can't be bought, in epoch milliseconds; infinite for good, undefined when it can be. There may
 * be hundreds of entries, most of them without a wildcard, and ten thousand offerings to ask for.
 */
export function soldOutLookup(
  entries: readonly SoldOut[],
  now: number,
): (offering: OfferingPattern) => number | undefined {
  const exact = new Map<string, SoldOut>();
  const wide: SoldOut[] = [];
  for (const entry of entries) {
    if (!holds(entry, now)) continue;
    const text = patternText(entry);
    if (text.includes('*')) wide.push(entry);
    else if (endOf(entry) > endOf(exact.get(text))) exact.set(text, entry);
  }
  return (offering) => {
    const of = exact.get(patternText(offering));
    const ends = [...(of ? [of] : []), ...wide.filter((entry) => matches(entry, offering))].map(endOf);
    return ends.length === 0 ? undefined : Math.max(...ends);
  };
}

const endOf = (entry: SoldOut | undefined): number =>
  entry ? (entry.until ?? Number.POSITIVE_INFINITY) : Number.NEGATIVE_INFINITY;

/** Where an offering is sold, and how. */
export function offeringOf(type: string, { requirements }: Offering): OfferingPattern {
  return { type, zone: requirements.get(LABEL_ZONE).any(), capacityType: requirements.get(LABEL_CAPACITY_TYPE).any() };
}

/** The offering that a node or its claim was bought as, by its labels. */
export function offeringOfLabels(labels: Readonly<Record<string, string>> = {}): OfferingPattern {
  return {
    type: labels[LABEL_INSTANCE_TYPE] ?? '',
    zone: labels[LABEL_ZONE] ?? '',
    capacityType: labels[LABEL_CAPACITY_TYPE] ?? '',
  };
}

const PARTS = ['type', 'zone', 'capacityType'] as const;

const holds = ({ until }: SoldOut, now: number): boolean => until === undefined || until > now;

/** Whether the pattern covers the offering, or the whole of the other pattern. */
export function matches(pattern: OfferingPattern, offering: OfferingPattern): boolean {
  return PARTS.every((part) => glob(pattern[part]).test(offering[part]));
}

const globs = new Map<string, RegExp>();

function glob(text: string): RegExp {
  const known = globs.get(text);
  if (known) return known;
  const made = new RegExp(`^${text.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  globs.set(text, made);
  return made;
}
