import { allows, type Wish } from './requirement.ts';
import type { Rule } from './topology-rule.ts';

/** A rule, and how many of the pods that it concerns are in each domain. */
export class Group {
  readonly rule: Rule;
  /** Domain → pods; empty domains that are known are in it too. */
  readonly pods = new Map<string, number>();
  /** Where the first pod of an affinity should go, if it matters (differences.md, B14). */
  starts: ReadonlySet<string> | undefined;
  readonly #order: (a: string, b: string) => number;

  constructor(rule: Rule, domains: Iterable<string>, order: (a: string, b: string) => number) {
    this.rule = rule;
    this.#order = order;
    for (const domain of domains) this.know(domain);
  }

  know(domain: string): void {
    if (!this.pods.has(domain)) this.pods.set(domain, 0);
  }

  add(domain: string): void {
    this.pods.set(domain, this.count(domain) + 1);
  }

  count(domain: string): number {
    return this.pods.get(domain) ?? 0;
  }

  /** Whether a pod may be in the one domain of a node that is what it is: a hostname, or any label of an existing node. */
  admits(domain: string, podWish: Wish | undefined, isConcerned: boolean): boolean {
    const { type, key, maxSkew } = this.rule;
    if (podWish && !allows(podWish, domain)) return false;
    if (type === 'anti-affinity') return this.count(domain) === 0;
    const isHostname = key === 'kubernetes.io/hostname';
    if (type === 'spread') {
      if (!isHostname && !this.pods.has(domain)) return false;
      return this.count(domain) + (isConcerned ? 1 : 0) - (isHostname ? 0 : this.#least(podWish)) <= maxSkew;
    }
    if (this.count(domain) > 0) return true;
    if (!isConcerned || !this.#mayStart(podWish)) return false;
    return isHostname || (this.pods.has(domain) && this.#isStart(domain));
  }

  /**
   * The domains that the rule leaves to a node that is still to be, none when there is no such domain. Spreads choose one, and
   * so do affinities that start.
   *
   * @param left what other rules have left: of equally good domains, one of these
   * @param tried of equally good domains, none of these
   */
  choose(
    podWish: Wish | undefined,
    nodeWish: Wish | undefined,
    left: Wish | undefined,
    isConcerned: boolean,
    tried: ReadonlySet<string>,
  ): readonly string[] {
    const known = [...this.pods.keys()].toSorted(
      (a, b) => Number(!left || allows(left, b)) - Number(!left || allows(left, a)) || this.#order(a, b),
    );
    const here = known.filter((domain) => !nodeWish || allows(nodeWish, domain));
    const wanted = here.filter((domain) => !podWish || allows(podWish, domain));
    switch (this.rule.type) {
      case 'anti-affinity':
        return wanted.filter((domain) => this.count(domain) === 0);
      case 'affinity': {
        const occupied = wanted.filter((domain) => this.count(domain) > 0);
        if (occupied.length > 0) return tried.size > 0 ? [] : occupied;
        if (!isConcerned || !this.#mayStart(podWish)) return [];
        const anywhere = known.filter((domain) => !podWish || allows(podWish, domain));
        const first = [wanted, anywhere].flatMap((list) => list.find((d) => this.#isStart(d) && !tried.has(d)) ?? []);
        return [...new Set(first)];
      }
      case 'spread': {
        const most = this.rule.maxSkew + this.#least(podWish) - (isConcerned ? 1 : 0);
        const fine = here.filter((domain) => this.count(domain) <= most);
        const least = Math.min(...fine.map((domain) => this.count(domain)));
        return fine.filter((domain) => this.count(domain) === least && !tried.has(domain)).slice(0, 1);
      }
    }
  }

  /** In the domain with the fewest pods of those that the pod could be in. */
  #least(podWish: Wish | undefined): number {
    const domains = [...this.pods].filter(([domain]) => !podWish || allows(podWish, domain));
    return domains.length < this.rule.minDomains ? 0 : Math.min(...domains.map(([, count]) => count));
  }

  /** None that the pod could join is there yet. */
  #mayStart(podWish: Wish | undefined): boolean {
    return ![...this.pods].some(([domain, count]) => count > 0 && (!podWish || allows(podWish, domain)));
  }

  #isStart(domain: string): boolean {
    return !this.starts || this.starts.has(domain);
  }
}
