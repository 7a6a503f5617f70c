import { LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../apis/labels.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { allocatable, cheapestPrice } from '../scheduling/instance-offerings.ts';
import type { InstanceType, Offering } from '../scheduling/instance-type.ts';
import { templateRequirements } from '../scheduling/node-pool-template.ts';
import type { Requirements } from '../scheduling/requirements.ts';
import { toResourceList } from '../scheduling/resource-list.ts';
import type { PoolAndTypes, Reason, TypeVerdict, World } from '../scheduling/types.ts';
import type { PodExplanation } from './pod-explanation.ts';
import { poolOfferings, refusedBy } from './pool-offerings.ts';

/** One way to buy a type. */
export interface OfferingFacts {
  readonly zone: string;
  readonly capacityType: string;
  /** Per hour. */
  readonly price: number;
  readonly available: boolean;
  /** Of one that isn't: when it is tried again; null when nobody can tell. */
  readonly soldOutUntil?: string | null;
  /** Machines that its reservation has left. */
  readonly reservationsLeft?: number;
}

/** A type that the pool's requirements allow. */
export interface OfferedType {
  readonly instanceType: string;
  /** What it leaves to pods, as quantities. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** Whether the pod would do with it; null when none was asked about. */
  readonly fits: boolean | null;
  /** The first question of the pod's that it fails, and what was asked. */
  readonly refusedBy?: string;
  readonly detail?: string;
  readonly offerings: readonly OfferingFacts[];
}

export interface PoolOffers {
  readonly nodePool: string;
  /** `Kind/name`. */
  readonly nodeClass: string;
  /** Types and offerings that it could buy now. */
  readonly types: number;
  readonly offerings: number;
  /** Offerings that it may buy, and nobody can now. */
  readonly soldOut: number;
  /** Types that it could buy now and that the pod fits; null when none was asked about. */
  readonly fitting: number | null;
  /** Why the pool gives the pod no node. */
  readonly refusals: readonly Reason[];
  readonly problems: readonly string[];
  /** Cheapest first; those that are sold out everywhere last. */
  readonly instanceTypes: readonly OfferedType[];
  /** Types that were asked for by name and that the pool's requirements don't allow. */
  readonly notAllowed: readonly { readonly instanceType: string; readonly requirement: string }[];
}

/** What NodePools can buy, at what price, what fits a pod, and what is sold out until when. */
export interface OfferingsReport {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'OfferingsReport';
  readonly time: string;
  /** `namespace/name` of the pod that was asked about. */
  readonly pod: string | null;
  readonly pools: readonly PoolOffers[];
}

export interface OfferingsQuestion {
  readonly world: World;
  readonly wellKnown: ReadonlySet<string>;
  /** Names; all unless told. */
  readonly pools?: readonly string[] | undefined;
  /** Which types are asked about; all unless told. */
  readonly isAskedFor?: ((instanceType: string) => boolean) | undefined;
  /** Why nothing can be bought with a pool's node class, where that is known. */
  readonly classProblem?: ((nodePool: NodePool) => string | undefined) | undefined;
  /** What was found out about a pod, every type included. */
  readonly pod?: PodExplanation | undefined;
}

export function offeringsReport(question: OfferingsQuestion): OfferingsReport {
  const { world, pools, pod } = question;
  const asked = world.pools.filter(({ nodePool }) => pools?.includes(nodePool.metadata.name) ?? true);
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'OfferingsReport',
    time: new Date(world.now).toISOString(),
    pod: pod?.pod ?? null,
    pools: asked.map((pool) => poolOffers(pool, question)),
  };
}

function poolOffers(pool: PoolAndTypes, question: OfferingsQuestion): PoolOffers {
  const { wellKnown, isAskedFor, pod, classProblem } = question;
  const { nodePool, instanceTypes } = pool;
  const { kind, name } = nodePool.spec.template.spec.nodeClassRef;
  const requirements = templateRequirements(nodePool);
  const { types, offerings, problems } = poolOfferings(pool, wellKnown);
  const ofClass = instanceTypes.length === 0 ? classProblem?.(nodePool) : undefined;
  const verdicts = pod && verdictsOf(pod, nodePool.metadata.name);
  const price = (type: InstanceType): number => cheapestPrice(type, requirements, wellKnown);
  const asked = instanceTypes.map((type) => ({ type, requirement: refusedBy(type, requirements, wellKnown) }));
  const wanted = isAskedFor ? asked.filter(({ type }) => isAskedFor(type.name)) : asked;
  const offered = wanted
    .flatMap(({ type, requirement }) => (requirement === undefined ? [type] : []))
    .toSorted((a, b) => compare(price(a), price(b)) || (a.name < b.name ? -1 : 1))
    .map((type) => offeredType(type, { requirements, wellKnown, verdicts }))
    .filter((type) => type.offerings.length > 0);
  const isOnSale = (type: OfferedType): boolean => type.offerings.some(({ available }) => available);
  return {
    nodePool: nodePool.metadata.name,
    nodeClass: `${kind}/${name}`,
    types,
    offerings,
    soldOut: offered.flatMap((type) => type.offerings).filter(({ available }) => !available).length,
    fitting: verdicts ? offered.filter((type) => type.fits && isOnSale(type)).length : null,
    refusals: pod ? refusalsOf(pod, nodePool.metadata.name) : [],
    problems: ofClass === undefined ? problems : [`nothing can be bought with ${kind} ${name}: ${ofClass}`],
    instanceTypes: offered,
    notAllowed: isAskedFor
      ? wanted.flatMap(({ type, requirement }) => (requirement ? [{ instanceType: type.name, requirement }] : []))
      : [],
  };
}

type Verdicts = ReadonlyMap<string, TypeVerdict>;

function verdictsOf({ instanceTypes = [] }: PodExplanation, pool: string): Verdicts {
  const types = instanceTypes.find(({ nodePool }) => nodePool === pool)?.types ?? [];
  return new Map(types.map((verdict) => [verdict.instanceType, verdict]));
}

function refusalsOf({ targets }: PodExplanation, pool: string): readonly Reason[] {
  return targets.find(({ kind, name }) => kind === 'NodePool' && name === pool)?.reasons ?? [];
}

interface Allowed {
  readonly requirements: Requirements;
  readonly wellKnown: ReadonlySet<string>;
  /** Undefined when no pod was asked about. */
  readonly verdicts: Verdicts | undefined;
}

function offeredType(type: InstanceType, { requirements, wellKnown, verdicts }: Allowed): OfferedType {
  const verdict = verdicts?.get(type.name);
  const zones = type.requirements.get(LABEL_ZONE);
  return {
    instanceType: type.name,
    allocatable: toResourceList(allocatable(type)),
    fits: verdicts ? verdict !== undefined && verdict.refusedBy === undefined : null,
    ...(verdict?.refusedBy === undefined ? {} : { refusedBy: verdict.refusedBy }),
    ...(verdict?.detail === undefined ? {} : { detail: verdict.detail }),
    offerings: type.offerings
      .filter(
        (offering) =>
          requirements.compatible(offering.requirements, wellKnown) &&
          // EC2's types have offerings in zones, too, that don't sell them or in which the class has no subnet.
          zones.has(offering.requirements.get(LABEL_ZONE).any()),
      )
      .map(factsOf)
      .sort((a, b) => a.price - b.price || (a.zone < b.zone ? -1 : 1)),
  };
}

function factsOf({ requirements, price, available, unavailableUntil, reservationCapacity }: Offering): OfferingFacts {
  return {
    zone: requirements.get(LABEL_ZONE).any(),
    capacityType: requirements.get(LABEL_CAPACITY_TYPE).any(),
    price,
    available,
    ...(available
      ? {}
      : { soldOutUntil: unavailableUntil === undefined ? null : new Date(unavailableUntil).toISOString() }),
    ...(reservationCapacity === undefined ? {} : { reservationsLeft: reservationCapacity }),
  };
}

/** Infinities are equal: the difference of two is no number. */
const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
