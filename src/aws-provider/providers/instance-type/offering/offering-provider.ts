import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { Clock } from '../../../../kube/clock.ts';
import type { InstanceType } from '../../../../scheduling/instance-type.ts';
import { Requirement } from '../../../../scheduling/requirement.ts';
import type { Requirements } from '../../../../scheduling/requirements.ts';
import type { CapacityReservationStatus, EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { LABEL_PLACEMENT_GROUP_ID, LABEL_PLACEMENT_GROUP_PARTITION } from '../../../apis/labels.ts';
import { TtlCache } from '../../../cache/ttl-cache.ts';
import type {
  OfferingProvider,
  PlacementGroup,
  PlacementGroupProvider,
  PricingProvider,
  UnavailableOfferings,
  ZonalShiftProvider,
} from '../../contracts.ts';
import { placementGroupOf } from '../../placement-group/placement-group-of.ts';
import { classMarket, partitionsOf } from './class-market.ts';
import { keptOfferings } from './kept-offerings.ts';
import { TypeOfferings, type TypeOfferingsDeps } from './type-offerings.ts';

const OVERLAYS_TTL_MS = 5 * 60_000;
/** A market that nobody asks for any more. */
const UNUSED_TTL_MS = 3_600_000;
const SWEEP_MS = 60_000;
const NONE: readonly CapacityReservationStatus[] = [];

export interface OfferingProviderDeps extends TypeOfferingsDeps {
  readonly clock: Clock;
  readonly pricing: TypeOfferingsDeps['pricing'] & Pick<PricingProvider, 'version'>;
  readonly unavailableOfferings: Pick<UnavailableOfferings, 'seqNum' | 'unavailableUntil'>;
  readonly placementGroups: PlacementGroupProvider;
  readonly zonalShift: Pick<ZonalShiftProvider, 'shiftedZones'>;
  /** The feature gate ReservedCapacity. */
  readonly reservedCapacity: boolean;
}

interface Priced {
  /** The type with its offerings. */
  readonly type: InstanceType;
  readonly seqNum: number;
  readonly prices: number;
  /** Epoch milliseconds until which prices of overlays need no other look. */
  readonly until: number;
  readonly hasReservations: boolean;
}

/** The market of a class, with what was found there last. */
interface KnownMarket {
  readonly offerings: TypeOfferings;
  readonly priced: WeakMap<InstanceType, Priced>;
  readonly answers: WeakMap<readonly InstanceType[], readonly InstanceType[]>;
}

/**
 * Offerings of instance types, made again when something that concerns a type was sold out or can be bought again, when
 * prices have been refreshed, and every five minutes. Those of types with reservations are made every time: their counts change with each launch.
 */
export class Ec2OfferingProvider implements OfferingProvider {
  readonly #deps: OfferingProviderDeps;
  readonly #markets: TtlCache<KnownMarket>;

  constructor(deps: OfferingProviderDeps) {
    this.#deps = deps;
    this.#markets = new TtlCache(deps.clock, { ttlMs: UNUSED_TTL_MS, sweepMs: SWEEP_MS });
  }

  async injectOfferings(
    types: readonly InstanceType[],
    infos: ReadonlyMap<string, InstanceTypeInfo>,
    nodeClass: EC2NodeClass,
    allZones: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<readonly InstanceType[]> {
    const placementGroup = await placementGroupOf(this.#deps.placementGroups, nodeClass, signal);
    const market = classMarket(nodeClass, allZones, this.#deps.zonalShift.shiftedZones(), placementGroup);
    const known: KnownMarket = this.#markets.get(market.key) ?? {
      offerings: new TypeOfferings(this.#deps, market),
      priced: new WeakMap(),
      answers: new WeakMap(),
    };
    this.#markets.set(market.key, known);
    const reservations = this.#reservationsOf(nodeClass);
    const answer = types.map((type) => {
      const ofType = reservations.get(type.name) ?? NONE;
      return this.#priced(known, { type, info: infos.get(type.name), nodeClass, reservations: ofType }, placementGroup);
    });
    const before = known.answers.get(types);
    if (before && answer.every((type, index) => type === before[index])) return before;
    known.answers.set(types, answer);
    return answer;
  }

  #reservationsOf({ status }: EC2NodeClass): ReadonlyMap<string, readonly CapacityReservationStatus[]> {
    if (!this.#deps.reservedCapacity) return new Map();
    return Map.groupBy(status?.capacityReservations ?? [], ({ instanceType }) => instanceType);
  }

  #priced(
    { offerings, priced }: KnownMarket,
    ofClass: Parameters<TypeOfferings['of']>[0],
    placementGroup: PlacementGroup | undefined,
  ): InstanceType {
    const { type, reservations } = ofClass;
    const { clock, unavailableOfferings, pricing } = this.#deps;
    const now = clock.now();
    const prices = pricing.version;
    const seqNum = unavailableOfferings.seqNum(type.name);
    const hasReservations = reservations.length > 0;
    const known = priced.get(type);
    const isCurrent = known && known.seqNum === seqNum && known.prices === prices && known.until > now;
    if (isCurrent && !known.hasReservations && !hasReservations) return known.type;
    const kept = keptOfferings(known?.type.offerings, offerings.of(ofClass));
    const result =
      known && kept === known.type.offerings
        ? known.type
        : {
            ...type,
            offerings: kept,
            requirements: known?.type.requirements ?? placed(type.requirements, placementGroup),
          };
    priced.set(type, { type: result, seqNum, prices, until: now + OVERLAYS_TTL_MS, hasReservations });
    return result;
  }
}

/** With the labels that nodes in the group have, so that pods can be spread over its partitions. */
function placed(requirements: Requirements, group: PlacementGroup | undefined): Requirements {
  if (!group) return requirements;
  const result = requirements.copy();
  result.add(Requirement.of(LABEL_PLACEMENT_GROUP_ID, 'In', [group.id]));
  const partitions = partitionsOf(group);
  if (partitions.length > 0) result.add(Requirement.of(LABEL_PLACEMENT_GROUP_PARTITION, 'In', partitions));
  return result;
}
