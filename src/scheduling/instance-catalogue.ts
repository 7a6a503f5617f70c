import type { Allocatables } from './allocatables.ts';
import { addBit, type Bits, emptyBits, hasBit, intersectInto } from './bit-set.ts';
import type { AllocatableOfferings } from './instance-offerings.ts';
import type { InstanceType, Offering } from './instance-type.ts';
import type { RequirementSet } from './requirement-sets.ts';
import type { Resources } from './resources.ts';

/** Instance types that need the same daemons (karpenter-core.md 4.3.3). */
export interface DaemonGroup {
  readonly instanceTypes: readonly InstanceType[];
  readonly overhead: Resources;
  /** The daemons, by name. */
  readonly daemons: readonly { readonly name: string; readonly requests: Resources }[];
}

/** An instance type as one of its allocatable groups would give it; most types have one. */
interface Variant {
  readonly type: InstanceType;
  readonly group: number;
  readonly offerings: readonly Offering[];
  readonly allocatable: Resources;
  readonly overhead: Resources;
}

/** Variants by how much of one resource they leave to pods, as sets that can be looked up by amount. */
interface Thresholds {
  readonly amounts: Float64Array;
  readonly atLeast: readonly Bits[];
}

/**
 * The instance types of one pool, laid out so that a filter is a few ANDs: variants are bits, in the order in which upstream
 * keeps what survives (daemon group, then provider order).
 */
export class InstanceCatalogue {
  readonly groups: readonly DaemonGroup[];
  readonly size: number;
  readonly everything: Bits;
  /** Every variant that could ever hold anything beside its daemons. */
  readonly all: Bits;
  readonly #variants: readonly Variant[];
  readonly #thresholds = new Map<string, Thresholds>();
  readonly #eligible = new Map<number, Bits>();
  readonly #byGroup: readonly Bits[];
  readonly #wellKnown: ReadonlySet<string>;

  constructor(groups: readonly DaemonGroup[], wellKnown: ReadonlySet<string>, allocatables: Allocatables) {
    this.groups = groups;
    this.#wellKnown = wellKnown;
    this.#variants = groups.flatMap((group, index) =>
      group.instanceTypes.flatMap((type) =>
        allocatables.of(type).map((part) => ({ type, group: index, overhead: group.overhead, ...part })),
      ),
    );
    this.size = this.#variants.length;
    this.everything = this.#select(() => true);
    this.all = this.#select((variant) => canHoldDaemons(variant));
    this.#byGroup = groups.map((_, index) => this.#select((variant) => variant.group === index));
  }

  /** The types of which any variant is in the set, in order. */
  types(bits: Bits): InstanceType[] {
    const result: InstanceType[] = [];
    let last: InstanceType | undefined;
    for (let i = 0; i < this.size; i++) {
      const variant = this.#variants[i];
      if (variant === undefined || ((bits[i >>> 5] ?? 0) & (1 << (i & 31))) === 0 || variant.type === last) continue;
      last = variant.type;
      result.push(variant.type);
    }
    return result;
  }

  /** Where the type's variants begin; -1 when it has none. */
  indexOf(type: InstanceType): number {
    return this.#variants.findIndex((variant) => variant.type === type);
  }

  /** The daemon groups of which any variant is in the set. */
  groupsOf(bits: Bits): readonly DaemonGroup[] {
    return this.groups.filter((_, index) => intersectInto(bits.slice(), this.#byGroup[index] ?? emptyBits(this.size)));
  }

  variantsOfGroup(index: number): Bits {
    return this.#byGroup[index] ?? emptyBits(this.size);
  }

  /** Variants of the types for which `test` holds. */
  where(test: (type: InstanceType) => boolean): Bits {
    let last: InstanceType | undefined;
    let verdict = false;
    return this.#select(({ type }) => {
      if (type !== last) verdict = test(type);
      last = type;
      return verdict;
    });
  }

  /** Variants whose type overlaps the requirements and that have an available offering which fits them. */
  eligible(set: RequirementSet): Bits {
    const known = this.#eligible.get(set.id);
    if (known) return known;
    const { requirements } = set;
    const overlapping = this.where((type) => type.requirements.intersects(requirements));
    const eligible = this.#select(
      ({ offerings }, index) =>
        hasBit(overlapping, index) &&
        offerings.some((offering) => requirements.compatible(offering.requirements, this.#wellKnown)),
    );
    this.#eligible.set(set.id, eligible);
    return eligible;
  }

  /** Variants that leave at least `amount` of the resource to pods; undefined when all do. */
  atLeast(resource: string, amount: number): Bits | undefined {
    if (amount <= 0) return undefined;
    const { amounts, atLeast } = this.#thresholdsOf(resource);
    let low = 0;
    let high = amounts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((amounts[middle] ?? 0) < amount) low = middle + 1;
      else high = middle;
    }
    return atLeast[low];
  }

  /** The most of a resource that any variant of the set leaves to pods. */
  mostOf(resource: string, bits: Bits): number {
    const { amounts, atLeast } = this.#thresholdsOf(resource);
    for (let i = amounts.length - 1; i >= 0; i--) {
      const candidates = atLeast[i];
      if (candidates?.some((word, w) => (word & (bits[w] ?? 0)) !== 0)) return amounts[i] ?? 0;
    }
    return 0;
  }

  #thresholdsOf(resource: string): Thresholds {
    const known = this.#thresholds.get(resource);
    if (known) return known;
    const left = this.#variants.map((v) => (v.allocatable[resource] ?? 0) - (v.overhead[resource] ?? 0));
    const amounts = Float64Array.from(new Set(left)).sort();
    const atLeast = [...amounts].map((amount) => {
      const bits = this.#select((_, index) => (left[index] ?? 0) >= amount);
      intersectInto(bits, this.all);
      return bits;
    });
    atLeast.push(emptyBits(this.size));
    const thresholds = { amounts, atLeast };
    this.#thresholds.set(resource, thresholds);
    return thresholds;
  }

  #select(test: (variant: Variant, index: number) => boolean): Bits {
    const bits = emptyBits(this.size);
    this.#variants.forEach((variant, index) => {
      if (test(variant, index)) addBit(bits, index);
    });
    return bits;
  }
}

/** Nothing fits where anything is already negative (karpenter-core.md 4.2.2). */
function canHoldDaemons({ allocatable, overhead }: AllocatableOfferings & { readonly overhead: Resources }): boolean {
  for (const name in allocatable) if ((allocatable[name] ?? 0) < 0) return false;
  for (const name in overhead) if ((overhead[name] ?? 0) > (allocatable[name] ?? 0)) return false;
  return true;
}
