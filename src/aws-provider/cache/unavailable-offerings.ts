import type { Clock } from '../../kube/clock.ts';
import type { Logger } from '../../logging/logger.ts';
import type { PlacementGroupScope, UnavailableOfferings } from '../providers/contracts.ts';
import { TtlCache } from './ttl-cache.ts';

const TTL_MS = 180_000;
/** More often than for other caches, so that an offering is tried again soon after its time. */
const SWEEP_MS = 10_000;

interface Reason {
  readonly reason: string;
  readonly fleetID?: string;
}

interface Mark extends Reason, PlacementGroupScope {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
}

/** Something that EC2 can't sell now: one offering, all of a capacity type, or whatever would be put in a subnet. */
export interface Unavailable extends Partial<Mark> {
  readonly subnetID?: string;
  /** Epoch milliseconds when it is tried again. */
  readonly until: number;
}

/**
 * What EC2 could not sell in the last three minutes (aws-provider.md section 20). Every mark, and every one that expires,
 * changes the sequence number of the types that it concerns.
 */
export class UnavailableOfferingsCache implements UnavailableOfferings {
  readonly #log: Logger;
  readonly #offerings: TtlCache<Mark>;
  readonly #capacityTypes: TtlCache<true>;
  readonly #subnets: TtlCache<true>;
  readonly #typeChanges = new Map<string, number>();
  readonly #listeners: (() => void)[] = [];
  #commonChanges = 0;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#log = log;
    const options = { ttlMs: TTL_MS, sweepMs: SWEEP_MS };
    const onEvicted = () => {
      this.#commonChanges++;
    };
    this.#offerings = new TtlCache(clock, {
      ...options,
      onEvicted: (_key, { instanceType }) => this.#changed(instanceType),
    });
    this.#capacityTypes = new TtlCache(clock, { ...options, onEvicted });
    this.#subnets = new TtlCache(clock, { ...options, onEvicted });
  }

  seqNum(instanceType: string): number {
    return (this.#typeChanges.get(instanceType) ?? 0) + this.#commonChanges;
  }

  isUnavailable(...offering: Parameters<UnavailableOfferings['isUnavailable']>): boolean {
    return this.unavailableUntil(...offering) !== undefined;
  }

  /** The latest of what stands in its way. A zone is closed by its subnets only when there are some and all are marked. */
  unavailableUntil(
    instanceType: string,
    zone: string,
    subnetIDs: readonly string[],
    capacityType: string,
    scope: PlacementGroupScope = {},
  ): number | undefined {
    const times = [
      this.#offerings.until(keyOf({ instanceType, zone, capacityType, ...scope })),
      this.#capacityTypes.until(capacityType),
      this.#subnetsUntil(subnetIDs),
    ].filter((time) => time !== undefined);
    return times.length > 0 ? Math.max(...times) : undefined;
  }

  markUnavailable(
    instanceType: string,
    zone: string,
    capacityType: string,
    reason: Reason,
    scope: PlacementGroupScope = {},
  ): void {
    const { placementGroupID, placementGroupPartition } = scope;
    this.#log.debug('removing offering from offerings', {
      reason: reason.reason,
      'instance-type': instanceType,
      zone,
      'capacity-type': capacityType,
      ttl: '3m0s',
      ...(placementGroupID ? { 'placement-group-id': placementGroupID } : {}),
      ...(placementGroupID && placementGroupPartition ? { 'placement-group-partition': placementGroupPartition } : {}),
      ...(reason.fleetID ? { 'fleet-id': reason.fleetID } : {}),
    });
    const mark: Mark = { instanceType, zone, capacityType, ...reason, ...scope };
    this.#offerings.set(keyOf(mark), mark);
    this.#changed(instanceType);
    this.#marked();
  }

  markCapacityTypeUnavailable(capacityType: string): void {
    this.#capacityTypes.set(capacityType, true);
    this.#commonChanges++;
    this.#marked();
  }

  markSubnetUnavailable(subnetID: string): void {
    this.#subnets.set(subnetID, true);
    this.#commonChanges++;
    this.#marked();
  }

  /** Tells of every mark; not of those that end. */
  onMarked(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Takes up marks of an earlier process; what is marked for longer, or has ended, stays as it is. */
  restore(mark: Unavailable, now: number): void {
    const ttl = Math.min(mark.until - now, TTL_MS);
    if (ttl <= 0) return;
    const put = <V>(cache: TtlCache<V>, key: string, value: V): void => {
      if ((cache.until(key) ?? 0) < mark.until) cache.set(key, value, ttl);
    };
    const { instanceType, zone, capacityType, subnetID } = mark;
    if (subnetID) put(this.#subnets, subnetID, true);
    else if (instanceType && zone && capacityType) {
      const offering: Mark = { ...mark, instanceType, zone, capacityType, reason: mark.reason ?? '' };
      put(this.#offerings, keyOf(offering), offering);
      this.#changed(instanceType);
      return;
    } else if (capacityType) put(this.#capacityTypes, capacityType, true);
    this.#commonChanges++;
  }

  /** All that is marked now. */
  list(): readonly Unavailable[] {
    const offerings = [...this.#offerings.entries()].map(([key, mark]) => ({
      ...mark,
      until: this.#offerings.until(key) ?? 0,
    }));
    const capacityTypes = [...this.#capacityTypes.entries()].map(([capacityType]) => ({
      capacityType,
      until: this.#capacityTypes.until(capacityType) ?? 0,
    }));
    const subnets = [...this.#subnets.entries()].map(([subnetID]) => ({
      subnetID,
      until: this.#subnets.until(subnetID) ?? 0,
    }));
    return [...offerings, ...capacityTypes, ...subnets];
  }

  #marked(): void {
    for (const listener of this.#listeners) listener();
  }

  #changed(instanceType: string): void {
    this.#typeChanges.set(instanceType, (this.#typeChanges.get(instanceType) ?? 0) + 1);
  }

  /** The first subnet that has addresses again opens the zone. */
  #subnetsUntil(subnetIDs: readonly string[]): number | undefined {
    let soonest = Number.POSITIVE_INFINITY;
    for (const id of subnetIDs) {
      const until = this.#subnets.until(id);
      if (until === undefined) return undefined;
      soonest = Math.min(soonest, until);
    }
    return subnetIDs.length > 0 ? soonest : undefined;
  }
}

function keyOf(mark: Pick<Mark, 'instanceType' | 'zone' | 'capacityType'> & PlacementGroupScope): string {
  const { capacityType, instanceType, zone, placementGroupID, placementGroupPartition } = mark;
  let key = `${capacityType}:${instanceType}:${zone}`;
  if (placementGroupID) key += `:${placementGroupID}`;
  if (placementGroupID && placementGroupPartition) key += `:${placementGroupPartition}`;
  return key;
}
