/** Which instance types can be a node (karpenter-core.md 0.5-0.11, 4.6.4). */
import type { InstanceType } from '../../src/scheduling/index.ts';
import { type Amounts, difference, fits, sum } from './amounts.ts';
import { allows } from './requirement.ts';
import { fromRequirements, intersect, meets, type Wishes } from './requirements.ts';

type Offering = InstanceType['offerings'][number];

export interface Sold {
  readonly offering: Offering;
  readonly wishes: Wishes;
  readonly capacityType: string;
  /** What is left for pods on a node bought like this. */
  readonly allocatable: Amounts;
}

export interface Type {
  readonly type: InstanceType;
  readonly wishes: Wishes;
  readonly offerings: readonly Sold[];
  /** Those of them that can be had now. */
  readonly sold: readonly Sold[];
}

export function typeOf(type: InstanceType): Type {
  const offerings = type.offerings.map((offering) => soldAs(type, offering));
  const sold = offerings.filter(({ offering }) => offering.available);
  return { type, wishes: fromRequirements(type.requirements), offerings, sold };
}

function soldAs(type: InstanceType, offering: Offering): Sold {
  const wishes = fromRequirements(offering.requirements);
  const [capacityType = ''] = wishes.get('karpenter.sh/capacity-type')?.values ?? [];
  return { offering, wishes, capacityType, allocatable: allocatable(type, offering) };
}

function allocatable(type: InstanceType, { capacityOverride = {}, overheadOverride = {} }: Offering): Amounts {
  const capacity = sum(type.capacity, capacityOverride);
  const left = difference(capacity, sum(overheadOf(type.overhead), overheadOf(overheadOverride)));
  const pages = Object.keys(capacity).filter((name) => name.startsWith('hugepages-'));
  const memory = pages.reduce((rest, name) => Math.max(0, rest - (capacity[name] ?? 0)), left.memory ?? 0);
  return pages.length > 0 ? { ...left, memory } : left;
}

function overheadOf({
  kubeReserved = {},
  systemReserved = {},
  evictionThreshold = {},
}: InstanceType['overhead']): Amounts {
  return sum(kubeReserved, systemReserved, evictionThreshold);
}

/** The type, bought in some way that is on sale, is a node as wished for that holds the total. */
export function canBe(type: Type, wishes: Wishes, total: Amounts, mayLack: ReadonlySet<string>): boolean {
  const enough = type.sold.filter((sold) => fits(total, sold.allocatable));
  return enough.some((sold) => meets(wishes, sold.wishes, mayLack)) && intersect(type.wishes, wishes);
}

/** Key → how many values the types bring, where that is fewer than wished for. No types bring nothing, and lack nothing. */
export function shortfall(types: readonly Type[], wishes: Wishes): ReadonlyMap<string, number> {
  const short = new Map<string, number>();
  if (types.length === 0) return short;
  for (const wish of wishes.values()) {
    if (wish.minValues === undefined) continue;
    const values = types.flatMap((type) => [...(type.wishes.get(wish.key)?.values ?? [])]);
    const count = new Set(values.filter((value) => allows(wish, value))).size;
    if (count < wish.minValues) short.set(wish.key, count);
  }
  return short;
}
