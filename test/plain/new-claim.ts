/** A node that is to be bought, while pods are still being added (karpenter-core.md 4.6, 4.9, 4.13). */
import type { Pod } from '../../src/kube/objects.ts';
import { goSort } from '../../src/scheduling/go-sort.ts';
import type { PlannedNodeClaim } from '../../src/scheduling/index.ts';
import { type Amounts, sum } from './amounts.ts';
import { canBe, type Sold, shortfall, type Type } from './instance-types.ts';
import { type Port, portsClash, portsOf, requestsOf } from './pod-needs.ts';
import type { Template, TypeGroup } from './pool.ts';
import { oneOf } from './requirement.ts';
import { labelsAsWishes, meets, plus, toRequirements, type Wishes } from './requirements.ts';
import type { Reservations } from './reservations.ts';
import { toleratesAll } from './taints.ts';
import type { Topology } from './topology.ts';
import { type Attached, joined, withinLimits } from './volumes.ts';

export interface ClaimRules {
  readonly topology: Topology;
  readonly reservations: Reservations;
  readonly reservationIDLabel: string;
  readonly reservedCapacity: boolean;
  readonly strictReservations: boolean;
  readonly mayLack: ReadonlySet<string>;
  readonly strictMinValues: boolean;
  readonly placesOfVolumes: (pod: Pod) => readonly Wishes[] | undefined;
  readonly attachedBy: (pod: Pod) => Attached;
  /** Name of a type → driver → how many volumes. */
  readonly attachLimits: (type: string) => ReadonlyMap<string, number>;
  /** Take no pod that would leave types without a spot offering only. */
  readonly keepSpot: boolean;
}

const MOST_TYPES = 600;

export class NewClaim {
  readonly template: Template;
  readonly pods: Pod[] = [];
  readonly #rules: ClaimRules;
  readonly #hostname: string;
  #wishes: Wishes;
  #types: readonly Type[];
  #requests: Amounts = {};
  #ports: readonly Port[] = [];
  #attached: Attached = new Map();
  #reserved: readonly Sold[] = [];
  #minValuesRelaxed = false;

  /** @param types of the pool, that its limits leave */
  constructor(template: Template, types: readonly Type[], number: number, rules: ClaimRules) {
    this.template = template;
    this.#rules = rules;
    this.#types = types;
    this.#hostname = `hostname-placeholder-${String(number).padStart(4, '0')}`;
    this.#wishes = plus(template.wishes, labelsAsWishes({ 'kubernetes.io/hostname': this.#hostname }));
  }

  get types(): readonly Type[] {
    return this.#types;
  }

  /** @returns `reserved` when the pod would do but for a reservation that others hold */
  take(pod: Pod, wishes: Wishes, relaxMinValues: boolean): 'taken' | 'refused' | 'reserved' {
    const { mayLack, placesOfVolumes } = this.#rules;
    if (!toleratesAll(this.template.taints, pod.spec.tolerations)) return 'refused';
    if (!meets(this.#wishes, wishes, mayLack)) return 'refused';
    let outcome: 'taken' | 'refused' | 'reserved' = 'refused';
    for (const place of placesOfVolumes(pod) ?? [new Map()]) {
      outcome = this.#takeAt(pod, plus(this.#wishes, wishes), place, relaxMinValues);
      if (outcome === 'taken') break;
    }
    return outcome;
  }

  #takeAt(pod: Pod, node: Wishes, place: Wishes, relaxMinValues: boolean): 'taken' | 'refused' | 'reserved' {
    const { topology, mayLack } = this.#rules;
    if (!meets(node, place, mayLack)) return 'refused';
    let first: 'refused' | 'reserved' | undefined;
    for (const wishes of topology.ways(pod, plus(node, place), this.#hostname)) {
      const outcome = this.#takeAs(pod, wishes, relaxMinValues);
      if (outcome === 'taken') return outcome;
      first ??= outcome;
    }
    return first ?? 'refused';
  }

  #takeAs(pod: Pod, wanted: Wishes, relaxMinValues: boolean): 'taken' | 'refused' | 'reserved' {
    const { topology, reservations } = this.#rules;
    let wishes = wanted;
    const requests = sum(this.#requests, requestsOf(pod));
    const types = this.#typesFor(pod, wishes, requests);
    const short = shortfall(types, wishes);
    if (types.length === 0 || (short.size > 0 && !relaxMinValues)) return 'refused';
    for (const [key, minValues] of short) wishes = withMinValues(wishes, key, minValues);
    if (this.#losesSpot(types, wishes)) return 'refused';
    const reserved = this.#reservable(types, wishes);
    if (!reserved) return 'reserved';
    this.pods.push(pod);
    this.#wishes = wishes;
    this.#types = types;
    this.#requests = requests;
    this.#ports = [...this.#ports, ...portsOf(pod)];
    this.#attached = joined(this.#attached, this.#rules.attachedBy(pod));
    this.#reserved = reserved;
    this.#minValuesRelaxed ||= short.size > 0;
    reservations.hold(this.#hostname, reserved);
    topology.recordOnNew(pod, wishes, this.template.taints);
    return 'taken';
  }

  #typesFor(pod: Pod, wishes: Wishes, requests: Amounts): readonly Type[] {
    const ports = portsOf(pod);
    const { attachedBy, attachLimits, mayLack } = this.#rules;
    const attached = joined(this.#attached, attachedBy(pod));
    return this.template.groups
      .filter((group) => !portsClash(ports, [...group.ports, ...this.#ports]))
      .flatMap((group) =>
        group.types.filter(
          (type) =>
            this.#types.includes(type) &&
            canBe(type, wishes, sum(requests, group.overhead), mayLack) &&
            withinLimits(attached, attachLimits(type.type.name)),
        ),
      );
  }

  #losesSpot(types: readonly Type[], wishes: Wishes): boolean {
    const { keepSpot, mayLack } = this.#rules;
    if (!keepSpot || this.pods.length === 0) return false;
    return canBeSpot(this.#types, this.#wishes, mayLack) && !canBeSpot(types, wishes, mayLack);
  }

  /** Undefined when strictness forbids to go on without. */
  #reservable(types: readonly Type[], wishes: Wishes): readonly Sold[] | undefined {
    const { reservations, reservedCapacity, strictReservations, mayLack } = this.#rules;
    if (!reservedCapacity) return [];
    const compatible = types
      .flatMap(({ sold }) => sold)
      .filter((sold) => sold.capacityType === 'reserved' && meets(wishes, sold.wishes, mayLack));
    const free = compatible.filter((sold) => reservations.canHold(this.#hostname, sold));
    const had = compatible.length > 0 || this.#reserved.length > 0;
    return strictReservations && free.length === 0 && had ? undefined : free;
  }

  /** Undefined when too few types can be named for its minValues. */
  planned(): PlannedNodeClaim | undefined {
    const { nodePool, groups } = this.template;
    const wishes = this.finalWishes;
    const instanceTypes = this.#inLaunchOrder(wishes).slice(0, MOST_TYPES);
    if (this.#rules.strictMinValues && shortfall(instanceTypes, wishes).size > 0) return undefined;
    const left = groups.filter(({ types }) => types.some((type) => this.#types.includes(type)));
    const offerings = instanceTypes.flatMap(({ type }) => type.offerings);
    return {
      nodePool,
      pods: this.pods,
      instanceTypes: instanceTypes.map(({ type }) => type),
      requirements: toRequirements(wishes),
      requests: sum(this.#requests, leastOverhead(left)),
      annotations: {
        ...nodePool.spec.template.metadata?.annotations,
        'karpenter.sh/nodeclaim-min-values-relaxed': String(this.#minValuesRelaxed),
        ...(offerings.some((o) => o.priceOverlaid) && { 'karpenter.sh/price-overlay-applied': 'true' }),
        ...(instanceTypes.some(({ type }) => type.capacityOverlaid) && {
          'karpenter.sh/capacity-overlay-applied': 'true',
        }),
      },
    };
  }

  /** Per hour, of what a launch would buy. */
  price(): number {
    const [first] = this.planned()?.instanceTypes ?? [];
    const type = this.#types.find((one) => one.type === first);
    const fitting = (type?.sold ?? []).filter((sold) => meets(this.finalWishes, sold.wishes, this.#rules.mayLack));
    return fitting.length > 0 ? Math.min(...fitting.map(({ offering }) => offering.price)) : 0;
  }

  /** What the node is asked to be, once no more pods come. */
  get finalWishes(): Wishes {
    const { reservations, reservationIDLabel } = this.#rules;
    const wishes = new Map(this.#wishes);
    wishes.delete('kubernetes.io/hostname');
    if (this.#reserved.length === 0) return wishes;
    const ids = this.#reserved.map((sold) => reservations.id(sold));
    wishes.set('karpenter.sh/capacity-type', oneOf('karpenter.sh/capacity-type', ['reserved']));
    return plus(wishes, new Map([[reservationIDLabel, oneOf(reservationIDLabel, ids)]]));
  }

  /** Cheapest first; types of one price fall as Go's sort lets them. */
  #inLaunchOrder(wishes: Wishes): readonly Type[] {
    const priced = this.#types.map((type) => {
      const prices = type.sold.filter((sold) => meets(wishes, sold.wishes, this.#rules.mayLack));
      return { type, price: Math.min(...prices.map(({ offering }) => offering.price)) };
    });
    goSort(priced, (a, b) => a.price < b.price);
    return priced.map(({ type }) => type);
  }
}

function withMinValues(wishes: Wishes, key: string, minValues: number): Wishes {
  const wish = wishes.get(key);
  return wish ? new Map([...wishes, [key, { ...wish, minValues }]]) : wishes;
}

/** What daemons ask for at the least; in packing each type was charged with its own. */
function leastOverhead(groups: readonly TypeGroup[]): Amounts {
  let least: Amounts = {};
  for (const { overhead } of groups) {
    const common = Object.entries(least).filter(([name]) => name in overhead);
    const smaller = common.map(([name, amount]) => [name, Math.min(amount, overhead[name] ?? 0)]);
    least = Object.keys(least).length === 0 ? overhead : Object.fromEntries(smaller);
  }
  return least;
}

/** One of the types is on sale as spot in a way that is wished for. */
export function canBeSpot(types: readonly Type[], wishes: Wishes, mayLack: ReadonlySet<string>): boolean {
  return types
    .flatMap(({ sold }) => sold)
    .some((sold) => sold.capacityType === 'spot' && meets(wishes, sold.wishes, mayLack));
}
