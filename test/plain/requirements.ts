/** Wishes about several labels, and whether a node can meet them (karpenter-core.md 4.1.8-4.1.10). */
import type { Pod } from '../../src/kube/objects.ts';
import { Requirement, Requirements } from '../../src/scheduling/index.ts';
import { allowsMissing, both, type Item, overlap, type Wish, wish } from './requirement.ts';

/** By label key; of a key that is absent nothing is asked. */
export type Wishes = ReadonlyMap<string, Wish>;
export type Labels = Readonly<Record<string, string>>;

export const NO_WISHES: Wishes = new Map();

export function together(...lists: readonly Iterable<Wish>[]): Wishes {
  const result = new Map<string, Wish>();
  for (const list of lists) {
    for (const one of list) {
      const known = result.get(one.key);
      result.set(one.key, known ? both(one, known) : one);
    }
  }
  return result;
}

export function plus(a: Wishes, b: Wishes): Wishes {
  return together(a.values(), b.values());
}

export function wishesOf(items: readonly Item[] = []): Wishes {
  return together(items.map(wish));
}

export function labelsAsWishes(labels: Labels = {}): Wishes {
  return wishesOf(Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] })));
}

/** What the pod insists on: its selector and the first of its required terms. */
export function strictWishes({ spec }: Pod): Wishes {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return plus(labelsAsWishes(spec.nodeSelector), wishesOf(required?.nodeSelectorTerms[0]?.matchExpressions));
}

/** The same with its heaviest preference. */
export function allWishes(pod: Pod): Wishes {
  const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const [heaviest] = preferred.toSorted((a, b) => b.weight - a.weight);
  return plus(strictWishes(pod), wishesOf(heaviest?.preference.matchExpressions));
}

/** On every key that both mention there is a value for both, or both can do without the label. */
export function intersect(a: Wishes, b: Wishes): boolean {
  for (const [key, wanted] of b) {
    const given = a.get(key);
    if (given && !overlap(given, wanted) && !(allowsMissing(given) && allowsMissing(wanted))) return false;
  }
  return true;
}

/** A node with these labels meets the wishes; it may leave undefined what is in `mayLack`. */
export function meets(node: Wishes, wanted: Wishes, mayLack: ReadonlySet<string> = new Set()): boolean {
  for (const [key, one] of wanted) {
    if (!node.has(key) && !mayLack.has(key) && !allowsMissing(one)) return false;
  }
  return intersect(node, wanted);
}

/** From the types of the program, which instance types come in. */
export function fromRequirements(requirements: Requirements): Wishes {
  const wishes = [...requirements].map(({ key, complement, values, gte, lte, minValues }) => {
    return { key, others: complement, values, gte, lte, minValues };
  });
  return together(wishes);
}

/** To the types of the program, in which the answer goes out. */
export function toRequirements(wishes: Wishes): Requirements {
  const result = new Requirements();
  for (const { key, others, values, gte, lte, minValues } of wishes.values()) {
    result.add(Requirement.of(key, others ? (values.size > 0 ? 'NotIn' : 'Exists') : 'In', values, minValues));
    if (gte !== undefined) result.add(Requirement.of(key, 'Gte', [String(gte)]));
    if (lte !== undefined) result.add(Requirement.of(key, 'Lte', [String(lte)]));
  }
  return result;
}
