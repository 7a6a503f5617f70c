import { type KWOKNodeClass, KwokNodeClasses } from '../kwok-provider/apis/kwok-node-class.ts';
import { markSoldOut } from '../kwok-provider/market/mark-sold-out.ts';
import { soldOutOf } from '../kwok-provider/market/market.ts';
import type { SoldOutRow } from '../src/cli/chaos-report.ts';
import { nearest } from '../src/cli/nearest.ts';
import { UsageError } from '../src/cli/user-error.ts';
import {
  matches,
  type OfferingPattern,
  offeringOf,
  parseOfferingPattern,
  patternText,
} from '../src/cloudprovider/sold-out.ts';
import type { Client } from '../src/kube/client.ts';
import { RealClock } from '../src/operator/clock.ts';
import type { InstanceType } from '../src/scheduling/instance-type.ts';

/** Reads `TYPE/ZONE/CAPACITY-TYPE`. Throws a UsageError. */
export function patternOf(text: string): OfferingPattern {
  const pattern = parseOfferingPattern(text);
  if (pattern) return pattern;
  throw new UsageError(`"${text}" names no offering`, {
    because: ['an offering is TYPE/ZONE/CAPACITY-TYPE, with * for any text'],
    hints: ['m5.large/us-east-1a/spot', 'c5.*/*/spot'],
  });
}

/** Throws a UsageError for a pattern that nothing on the list is of: it can only be a slip of the pen. */
export function requireOffered(patterns: readonly OfferingPattern[], instanceTypes: readonly InstanceType[]): void {
  const offered = instanceTypes.flatMap(({ name, offerings }) =>
    offerings.map((offering) => offeringOf(name, offering)),
  );
  for (const pattern of patterns) {
    if (offered.some((offering) => matches(pattern, offering))) continue;
    const values = (part: keyof OfferingPattern): readonly string[] => offered.map((offering) => offering[part]);
    const hints = (['type', 'zone', 'capacityType'] as const).flatMap((part) =>
      nearest(pattern[part], values(part), 1)
        .filter((near) => near !== pattern[part])
        .map((near) => patternText({ ...pattern, [part]: near })),
    );
    throw new UsageError(`nothing is offered as ${patternText(pattern)}`, { hints: hints.slice(0, 2) });
  }
}

/** What the cloud of a node class has sold out at `now`, for reports. */
export function soldOutRows(nodeClass: KWOKNodeClass, now: number): readonly SoldOutRow[] {
  return soldOutOf(nodeClass)
    .filter(({ until }) => until === undefined || until > now)
    .map((entry) => ({
      nodeClass: nodeClass.metadata.name,
      offering: patternText(entry),
      until: entry.until === undefined ? null : new Date(entry.until).toISOString(),
    }));
}

/** Lets no node class of the cluster sell these any more. */
export async function sellOut(
  client: Client,
  patterns: readonly OfferingPattern[],
  signal: AbortSignal,
): Promise<void> {
  if (patterns.length === 0) return;
  const { items } = await client.list(KwokNodeClasses, {}, signal);
  for (const { metadata } of items)
    await markSoldOut({ client, clock: new RealClock() }, metadata.name, patterns, signal);
}
