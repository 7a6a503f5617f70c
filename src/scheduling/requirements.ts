import { LABEL_HOSTNAME } from '../apis/labels.ts';
import type { NodeSelectorRequirementWithMinValues } from '../apis/node-pool.ts';
import type { NodeSelectorRequirement, Pod } from '../kube/objects.ts';
import { Requirement } from './requirement.ts';

const NO_KEYS: ReadonlySet<string> = new Set();

/**
 * Requirements by label key; an absent key means anything goes. Mutable through `add` only: copy before narrowing a
 * shared one. Behaviour of upstream's pkg/scheduling/requirements.go.
 */
export class Requirements {
  readonly #byKey = new Map<string, Requirement>();

  constructor(requirements: Iterable<Requirement> = []) {
    for (const requirement of requirements) this.add(requirement);
  }

  static fromItems(items: Iterable<NodeSelectorRequirementWithMinValues | NodeSelectorRequirement> = []): Requirements {
    const result = new Requirements();
    for (const item of items) {
      const minValues = 'minValues' in item ? item.minValues : undefined;
      result.add(Requirement.of(item.key, item.operator, item.values ?? [], minValues));
    }
    return result;
  }

  static fromLabels(labels: Readonly<Record<string, string>> = {}): Requirements {
    const result = new Requirements();
    for (const [key, value] of Object.entries(labels)) result.add(Requirement.of(key, 'In', [value]));
    return result;
  }

  /** nodeSelector, the heaviest preferred node-affinity term and the first required one. */
  static fromPod(pod: Pod): Requirements {
    const result = Requirements.strictFromPod(pod);
    const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const heaviest = [...preferred].sort((a, b) => b.weight - a.weight)[0];
    if (heaviest) result.addAll(Requirements.fromItems(heaviest.preference.matchExpressions ?? []));
    return result;
  }

  /** What the pod insists on: preferences left out. */
  static strictFromPod(pod: Pod): Requirements {
    const result = Requirements.fromLabels(pod.spec.nodeSelector);
    const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    const first = required?.nodeSelectorTerms[0];
    if (first) result.addAll(Requirements.fromItems(first.matchExpressions ?? []));
    return result;
  }

  copy(): Requirements {
    return new Requirements(this.#byKey.values());
  }

  /** Narrows the key by intersection. */
  add(requirement: Requirement): void {
    const existing = this.#byKey.get(requirement.key);
    this.#byKey.set(requirement.key, existing ? requirement.intersection(existing) : requirement);
  }

  addAll(requirements: Requirements): void {
    for (const requirement of requirements) this.add(requirement);
  }

  /** Puts a requirement in place of whatever the key had. */
  replace(requirement: Requirement): void {
    this.#byKey.set(requirement.key, requirement);
  }

  delete(key: string): void {
    this.#byKey.delete(key);
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** The key's requirement; Exists when the key is absent. */
  get(key: string): Requirement {
    return this.#byKey.get(key) ?? Requirement.of(key, 'Exists');
  }

  /** The key's requirement, or undefined when absent. */
  find(key: string): Requirement | undefined {
    return this.#byKey.get(key);
  }

  get size(): number {
    return this.#byKey.size;
  }

  keys(): IterableIterator<string> {
    return this.#byKey.keys();
  }

  [Symbol.iterator](): IterableIterator<Requirement> {
    return this.#byKey.values();
  }

  /** Every key of both overlaps; a key that one side lacks is fine. */
  intersects(other: Requirements): boolean {
    return this.conflict(other) === undefined;
  }

  /** The first key on which the two don't overlap. */
  conflict(other: Requirements): { readonly existing: Requirement; readonly incoming: Requirement } | undefined {
    for (const incoming of other) {
      const existing = this.#byKey.get(incoming.key);
      if (!existing || existing.overlaps(incoming)) continue;
      if (incoming.acceptsMissing && existing.acceptsMissing) continue;
      return { existing, incoming };
    }
    return undefined;
  }

  /**
   * Whether something with these labels can meet `incoming`: each of its keys is defined here (or may be undefined, or is
   * satisfied by a missing label), and all overlap. Asymmetric.
   */
  compatible(incoming: Requirements, allowUndefined: ReadonlySet<string> = NO_KEYS): boolean {
    return this.undefinedKey(incoming, allowUndefined) === undefined && this.intersects(incoming);
  }

  /** The first key of `incoming` that would have to be defined here and isn't. */
  undefinedKey(incoming: Requirements, allowUndefined: ReadonlySet<string> = NO_KEYS): string | undefined {
    for (const requirement of incoming) {
      const key = requirement.key;
      if (!allowUndefined.has(key) && !this.#byKey.has(key) && !requirement.acceptsMissing) return key;
    }
    return undefined;
  }

  /** Why `compatible` is false, in upstream's words; undefined when it is true. */
  incompatibility(incoming: Requirements, allowUndefined: ReadonlySet<string> = NO_KEYS): string | undefined {
    const key = this.undefinedKey(incoming, allowUndefined);
    if (key !== undefined) return `label "${key}" does not have known values${this.#hint(key, allowUndefined)}`;
    const messages: string[] = [];
    for (const requirement of incoming) {
      const existing = this.#byKey.get(requirement.key);
      if (!existing || existing.overlaps(requirement)) continue;
      if (requirement.acceptsMissing && existing.acceptsMissing) continue;
      messages.push(`key ${requirement.key}, ${requirement} not in ${existing}`);
    }
    return messages.length > 0 ? messages.join('; ') : undefined;
  }

  hasMinValues(): boolean {
    for (const requirement of this) if (requirement.minValues !== undefined) return true;
    return false;
  }

  toItems(): NodeSelectorRequirementWithMinValues[] {
    return [...this].flatMap((requirement) => requirement.toItems());
  }

  /** Sorted and joined, without the hostname, as upstream prints it in messages. */
  toString(): string {
    return [...this]
      .filter((requirement) => requirement.key !== LABEL_HOSTNAME)
      .map(String)
      .sort()
      .join(', ');
  }

  #hint(key: string, allowUndefined: ReadonlySet<string>): string {
    const suffix = key.includes('/') ? key.slice(key.indexOf('/') + 1) : key;
    for (const known of [...allowUndefined, ...this.#byKey.keys()]) {
      if (known.includes(key) || known.endsWith(suffix)) return ` (typo of "${known}"?)`;
    }
    return '';
  }
}
