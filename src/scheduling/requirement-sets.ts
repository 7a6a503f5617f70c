import { LABEL_HOSTNAME } from '../apis/labels.ts';
import type { Requirement } from './requirement.ts';
import { Requirements } from './requirements.ts';

/**
 * An interned set of requirements: two equal ones are the same object. The hostname is kept out of it, because it would
 * make every node's set different; whoever holds a set knows the hostname.
 */
export interface RequirementSet {
  readonly id: number;
  readonly requirements: Requirements;
  readonly hasMinValues: boolean;
}

/** A set and what was said about the hostname, if anything. */
export interface SplitRequirements {
  readonly set: RequirementSet;
  readonly hostname: Requirement | undefined;
}

/** Room for this many sets: the pair of two ids is one exact integer. */
const PAIR = 2 ** 26;

/**
 * Interns requirement sets and remembers what comes out when two of them meet. The algebra itself is in `Requirements`;
 * a cluster has few distinct sets, so nearly every question has been answered before.
 */
export class RequirementSets {
  readonly #bySignature = new Map<string, RequirementSet>();
  readonly #requirements = new Map<string, Requirement>();
  readonly #joined = [new Map<number, RequirementSet | undefined>(), new Map<number, RequirementSet | undefined>()];
  readonly #narrowed = [
    new Map<RequirementSet, Map<Requirement, RequirementSet | undefined>>(),
    new Map<RequirementSet, Map<Requirement, RequirementSet | undefined>>(),
  ];
  readonly #allowed: ReadonlySet<string>;
  readonly empty: RequirementSet;

  /** @param wellKnown keys that a new node may leave undefined */
  constructor(wellKnown: ReadonlySet<string>) {
    this.#allowed = wellKnown;
    this.empty = this.intern(new Requirements());
  }

  get wellKnown(): ReadonlySet<string> {
    return this.#allowed;
  }

  /** The one object that stands for all requirements equal to this one. */
  canonical(requirement: Requirement): Requirement {
    const text = signature(requirement);
    const known = this.#requirements.get(text);
    if (known) return known;
    this.#requirements.set(text, requirement);
    return requirement;
  }

  intern(requirements: Iterable<Requirement>): RequirementSet {
    const sorted = [...requirements].filter((r) => r.key !== LABEL_HOSTNAME).sort((a, b) => (a.key < b.key ? -1 : 1));
    const text = sorted.map(signature).join('\n');
    const known = this.#bySignature.get(text);
    if (known) return known;
    const canonical = new Requirements(sorted.map((requirement) => this.canonical(requirement)));
    const set = { id: this.#bySignature.size, requirements: canonical, hasMinValues: canonical.hasMinValues() };
    this.#bySignature.set(text, set);
    return set;
  }

  split(requirements: Requirements): SplitRequirements {
    const hostname = requirements.find(LABEL_HOSTNAME);
    return { set: this.intern(requirements), hostname: hostname && this.canonical(hostname) };
  }

  /**
   * `node` narrowed by `incoming`; undefined when they are not compatible. `fresh` nodes may leave well-known keys
   * undefined, existing ones may not.
   */
  join(node: RequirementSet, incoming: RequirementSet, fresh: boolean): RequirementSet | undefined {
    const cache = this.#joined[fresh ? 1 : 0] as Map<number, RequirementSet | undefined>;
    const pair = node.id * PAIR + incoming.id;
    const known = cache.get(pair);
    if (known !== undefined || cache.has(pair)) return known;
    let result: RequirementSet | undefined;
    if (node.requirements.compatible(incoming.requirements, fresh ? this.#allowed : undefined)) {
      const merged = node.requirements.copy();
      merged.addAll(incoming.requirements);
      result = this.intern(merged);
    }
    cache.set(pair, result);
    return result;
  }

  /** The same with a single, canonical requirement. */
  narrow(node: RequirementSet, incoming: Requirement, fresh: boolean): RequirementSet | undefined {
    const cache = this.#narrowed[fresh ? 1 : 0] as Map<RequirementSet, Map<Requirement, RequirementSet | undefined>>;
    let byRequirement = cache.get(node);
    if (!byRequirement) {
      byRequirement = new Map();
      cache.set(node, byRequirement);
    }
    const known = byRequirement.get(incoming);
    if (known !== undefined || byRequirement.has(incoming)) return known;
    const result = this.join(node, this.intern([incoming]), fresh);
    byRequirement.set(incoming, result);
    return result;
  }
}

function signature(r: Requirement): string {
  const values = [...r.values].sort().join('\u0001');
  return `${r.key}\u0002${r.complement ? '!' : ''}${values}\u0002${r.gte ?? ''}\u0002${r.lte ?? ''}\u0002${r.minValues ?? ''}`;
}
