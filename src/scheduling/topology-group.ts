import { LABEL_HOSTNAME } from '../apis/labels.ts';
import { Requirement } from './requirement.ts';
import type { RequirementSets } from './requirement-sets.ts';
import type { TopologyRule } from './topology-rule.ts';

type Choices = Map<Requirement | undefined, Map<Requirement | undefined, Requirement | undefined>>;

/** What `choose` is asked. */
interface Question {
  readonly podDomains: Requirement | undefined;
  readonly nodeDomains: Requirement | undefined;
  readonly selectsPod: boolean;
  readonly left: Requirement | undefined;
  readonly tried: ReadonlySet<string>;
}

const NO_DOMAINS: ReadonlySet<string> = new Set();

export interface TopologyGroupDeps {
  readonly sets: RequirementSets;
  /** Of equally good domains, the one with the lowest rank is taken. */
  readonly ranks: ReadonlyMap<string, number>;
}

/**
 * How many pods that a rule selects are in each of its domains, and where the next one may go (upstream's
 * topologygroup.go). Where upstream takes any of several equal domains, this takes the cheapest, then the first by name.
 *
 * Hostnames are special: there are many, every node has exactly one, and a new one can always be had. Of those only the
 * occupied are kept, on top of a shared map that is never changed.
 */
export class TopologyGroup {
  readonly rule: TopologyRule;
  readonly isHostname: boolean;
  readonly #sets: RequirementSets;
  readonly #shared: ReadonlyMap<string, number>;
  readonly #counts: Map<string, number>;
  readonly #ranks: ReadonlyMap<string, number>;
  /** Where the first pod of an affinity may go; undefined when anywhere. */
  #startDomains: ReadonlySet<string> | undefined;
  readonly #single = new Map<string, Requirement>();
  #occupied: number;
  #choices: readonly [Choices, Choices] = [new Map(), new Map()];

  /** @param counts all domains known so far; for hostnames only occupied ones, and the map stays the caller's */
  constructor(rule: TopologyRule, counts: ReadonlyMap<string, number>, deps: TopologyGroupDeps) {
    this.rule = rule;
    this.isHostname = rule.key === LABEL_HOSTNAME;
    this.#sets = deps.sets;
    this.#ranks = deps.ranks;
    this.#shared = this.isHostname ? counts : new Map();
    this.#counts = this.isHostname ? new Map() : new Map(counts);
    this.#occupied = this.isHostname ? counts.size : [...counts.values()].filter((count) => count > 0).length;
  }

  count(domain: string): number {
    return this.#counts.get(domain) ?? this.#shared.get(domain) ?? 0;
  }

  record(domain: string, change = 1): void {
    const before = this.count(domain);
    const after = Math.max(0, before + change);
    this.#counts.set(domain, after);
    if (before === 0 && after > 0) this.#occupied++;
    if (before > 0 && after === 0) this.#occupied--;
    this.#forget();
  }

  /** Has the first pod go to a domain that passes, unless none of those left does. */
  startWithin(passes: (domain: string) => boolean): void {
    const allowed = [...(this.#startDomains ?? this.#counts.keys())].filter(passes);
    if (allowed.length > 0) this.#startDomains = new Set(allowed);
    this.#forget();
  }

  /** Whether a pod may go to the one hostname. */
  allowsHostname(hostname: string, podDomains: Requirement | undefined, selectsPod: boolean): boolean {
    const count = this.count(hostname);
    switch (this.rule.type) {
      case 'topology spread':
        return count + (selectsPod ? 1 : 0) <= this.rule.maxSkew;
      case 'pod anti-affinity':
        return count === 0;
      case 'pod affinity':
        if (podDomains && !podDomains.has(hostname)) return false;
        return count > 0 || (selectsPod && this.#mayStart(podDomains));
    }
  }

  /**
   * The domains of which the pod may take any, within what its own strict requirements and the node allow; undefined when
   * there is none. Not for hostnames.
   *
   * @param left what other rules have left of the node's domains: of equally good ones, one of these is taken
   * @param tried of equally good ones, none of these is taken
   */
  choose(
    podDomains: Requirement | undefined,
    nodeDomains: Requirement | undefined,
    selectsPod: boolean,
    left = nodeDomains,
    tried = NO_DOMAINS,
  ): Requirement | undefined {
    if (left !== nodeDomains || tried.size > 0) {
      return this.#choose({ podDomains, nodeDomains, selectsPod, left, tried });
    }
    const choices = this.#choices[selectsPod ? 1 : 0];
    let byNode = choices.get(podDomains);
    if (!byNode) {
      byNode = new Map();
      choices.set(podDomains, byNode);
    }
    const known = byNode.get(nodeDomains);
    if (known !== undefined || byNode.has(nodeDomains)) return known;
    const chosen = this.#choose({ podDomains, nodeDomains, selectsPod, left, tried });
    byNode.set(nodeDomains, chosen);
    return chosen;
  }

  /** As upstream prints counts in messages: sorted, at most 25. */
  printCounts(extra: Iterable<string> = []): string {
    const counts = new Map([...extra].map((domain) => [domain, 0]));
    for (const domain of [...this.#shared.keys(), ...this.#counts.keys()]) {
      const count = this.count(domain);
      if (count > 0 || !this.isHostname) counts.set(domain, count);
    }
    const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
    const shown = sorted.slice(0, 25).map(([domain, count]) => `${domain}: ${count}`);
    return shown.join(', ') + (sorted.length > 25 ? ` and ${sorted.length - 25} other(s)` : '');
  }

  /** Domains and how many pods are in each, by name; of hostnames only those with pods. */
  get domains(): readonly (readonly [domain: string, count: number])[] {
    const known = new Set([...this.#shared.keys(), ...this.#counts.keys()]);
    return [...known]
      .map((domain) => [domain, this.count(domain)] as const)
      .filter(([, count]) => count > 0 || !this.isHostname)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Whether the rule by itself lets a pod go to the domain. */
  allows(domain: string, podDomains: Requirement | undefined, selectsPod: boolean): boolean {
    if (this.isHostname) return this.allowsHostname(domain, podDomains, selectsPod);
    return this.choose(podDomains, this.#only(domain), selectsPod)?.has(domain) ?? false;
  }

  /** Every domain that the rule by itself lets a pod go to; of those that an affinity may begin with, the one that it would. */
  allowedDomains(podDomains: Requirement | undefined, selectsPod: boolean): ReadonlySet<string> {
    if (this.rule.type !== 'topology spread')
      return this.choose(podDomains, undefined, selectsPod)?.values ?? NO_DOMAINS;
    const least = this.#leastCount(podDomains);
    const fits = (count: number): boolean => count + (selectsPod ? 1 : 0) - least <= this.rule.maxSkew;
    return new Set([...this.#counts].filter(([, count]) => fits(count)).map(([domain]) => domain));
  }

  #forget(): void {
    this.#choices = [new Map(), new Map()];
  }

  #choose(question: Question): Requirement | undefined {
    switch (this.rule.type) {
      case 'topology spread':
        return this.#leastFilled(question);
      case 'pod affinity':
        return this.#occupiedOrFirst(question);
      case 'pod anti-affinity': {
        const domains = this.#domains(question.podDomains, question.nodeDomains);
        return this.#anyOf(domains.filter((domain) => this.count(domain) === 0));
      }
    }
  }

  #leastFilled({ podDomains, nodeDomains, selectsPod, left, tried }: Question): Requirement | undefined {
    const least = this.#leastCount(podDomains);
    let chosen: string | undefined;
    let chosenCount = Number.POSITIVE_INFINITY;
    for (const [domain, current] of this.#counts) {
      if (nodeDomains && !nodeDomains.has(domain)) continue;
      const count = current + (selectsPod ? 1 : 0);
      if (count - least > this.rule.maxSkew || count > chosenCount) continue;
      if (count < chosenCount) {
        chosen = undefined;
        chosenCount = count;
      }
      if (!tried.has(domain) && (chosen === undefined || this.#isBetter(domain, chosen, left))) chosen = domain;
    }
    return chosen === undefined ? undefined : this.#only(chosen);
  }

  #leastCount(podDomains: Requirement | undefined): number {
    let least = Number.POSITIVE_INFINITY;
    let supported = 0;
    for (const [domain, count] of this.#counts) {
      if (podDomains && !podDomains.has(domain)) continue;
      supported++;
      if (count < least) least = count;
    }
    return this.rule.minDomains !== undefined && supported < this.rule.minDomains ? 0 : least;
  }

  #occupiedOrFirst({ podDomains, nodeDomains, selectsPod, left, tried }: Question): Requirement | undefined {
    const here = this.#domains(podDomains, nodeDomains);
    const occupied = here.filter((domain) => this.count(domain) > 0);
    if (occupied.length > 0) return tried.size > 0 ? undefined : this.#anyOf(occupied);
    if (!selectsPod || !this.#mayStart(podDomains)) return undefined;
    const start = (domains: string[]) =>
      this.#best(
        domains.filter((d) => !tried.has(d) && (!this.#startDomains || this.#startDomains.has(d))),
        left,
      );
    const starts = [start(here), start(this.#domains(podDomains, undefined))];
    return this.#anyOf(starts.filter((domain) => domain !== undefined));
  }

  /** The first pod of a group that wants to be together may choose, unless it could join one. */
  #mayStart(podDomains: Requirement | undefined): boolean {
    if (this.#occupied === 0) return true;
    if (!podDomains) return false;
    for (const [domain, count] of this.#counts) if (count > 0 && podDomains.has(domain)) return false;
    for (const domain of this.#shared.keys()) if (this.count(domain) > 0 && podDomains.has(domain)) return false;
    return true;
  }

  #domains(podDomains: Requirement | undefined, nodeDomains: Requirement | undefined): string[] {
    const domains: string[] = [];
    for (const domain of this.#counts.keys()) {
      if ((!podDomains || podDomains.has(domain)) && (!nodeDomains || nodeDomains.has(domain))) domains.push(domain);
    }
    return domains;
  }

  #best(domains: readonly string[], left: Requirement | undefined): string | undefined {
    let best: string | undefined;
    for (const domain of domains) if (best === undefined || this.#isBetter(domain, best, left)) best = domain;
    return best;
  }

  #isBetter(a: string, b: string, left: Requirement | undefined): boolean {
    if (left && left.has(a) !== left.has(b)) return left.has(a);
    const [rankA, rankB] = [this.#ranks.get(a), this.#ranks.get(b)];
    if (rankA !== rankB) return (rankA ?? Number.POSITIVE_INFINITY) < (rankB ?? Number.POSITIVE_INFINITY);
    return a < b;
  }

  #only(domain: string): Requirement {
    let requirement = this.#single.get(domain);
    if (!requirement) {
      requirement = this.#sets.canonical(Requirement.of(this.rule.key, 'In', [domain]));
      this.#single.set(domain, requirement);
    }
    return requirement;
  }

  #anyOf(domains: readonly string[]): Requirement | undefined {
    const [one] = domains;
    if (one === undefined) return undefined;
    if (domains.length === 1) return this.#only(one);
    return this.#sets.canonical(Requirement.of(this.rule.key, 'In', domains));
  }
}
