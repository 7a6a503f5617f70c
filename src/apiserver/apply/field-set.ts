/**
 * A set of paths, in the very form of managedFields' `fieldsV1`: a tree whose keys are path elements (`f:name` a field,
 * `k:{…}` an item of a list map, `v:…` an item of a set). A node is a member if it is empty or has a `.`; the root never is.
 * Working on this form spares every write the decoding and encoding of its owners.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

interface MutableFieldSet {
  [element: string]: MutableFieldSet;
}

const EMPTY: FieldSet = {};

export const isEmptySet = (set: FieldSet): boolean => {
  for (const _ in set) return false;
  return true;
};

const isMember = (node: FieldSet): boolean => isEmptySet(node) || node['.'] !== undefined;

/** Collects paths one by one. */
export class FieldSetBuilder {
  readonly #root: MutableFieldSet = {};

  /** The root itself, an empty path, is never tracked. */
  insert(path: readonly string[]): void {
    let node = this.#root;
    const last = path.length - 1;
    for (let index = 0; index <= last; index++) {
      const element = path[index] ?? '';
      const child = node[element];
      if (child === undefined) {
        const fresh: MutableFieldSet = {};
        node[element] = fresh;
        node = fresh;
        continue;
      }
      // An existing empty node is a member, and must say so once it gets children.
      if (index < last ? isEmptySet(child) : !isMember(child)) child['.'] = {};
      node = child;
    }
  }

  build(): FieldSet {
    return this.#root;
  }
}

/** A set of the given paths. */
export function fieldSetOf(...paths: readonly (readonly string[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path);
  return builder.build();
}

function node(member: boolean, children: MutableFieldSet): FieldSet | undefined {
  if (isEmptySet(children)) return member ? EMPTY : undefined;
  return member ? { '.': EMPTY, ...children } : children;
}

type Combine = (a: FieldSet, b: FieldSet) => FieldSet | undefined;

/** Children of `a` and `b` combined; `onlyA` and `onlyB` say whether a child that one side lacks is kept. */
function combineChildren(a: FieldSet, b: FieldSet, combine: Combine, onlyA: boolean, onlyB: boolean): MutableFieldSet {
  const result: MutableFieldSet = {};
  for (const element in a) {
    if (element === '.') continue;
    const [left, right] = [a[element], b[element]];
    if (left === undefined) continue;
    const child = right === undefined ? (onlyA ? left : undefined) : combine(left, right);
    if (child !== undefined) result[element] = child as MutableFieldSet;
  }
  if (!onlyB) return result;
  for (const element in b) {
    const right = b[element];
    if (element !== '.' && right !== undefined && a[element] === undefined) result[element] = right as MutableFieldSet;
  }
  return result;
}

const unionNodes: Combine = (a, b) => node(isMember(a) || isMember(b), combineChildren(a, b, unionNodes, true, true));
const intersectNodes: Combine = (a, b) =>
  node(isMember(a) && isMember(b), combineChildren(a, b, intersectNodes, false, false));
const subtractNodes: Combine = (a, b) =>
  node(isMember(a) && !isMember(b), combineChildren(a, b, subtractNodes, true, false));
const subtractTrees: Combine = (a, b) =>
  isMember(b) ? undefined : node(isMember(a), combineChildren(a, b, subtractTrees, true, false));

/** Paths in either. */
export const union = (a: FieldSet, b: FieldSet): FieldSet => combineChildren(a, b, unionNodes, true, true);
/** Paths in both. */
export const intersection = (a: FieldSet, b: FieldSet): FieldSet => combineChildren(a, b, intersectNodes, false, false);
/** Paths of `a` that aren't in `b`; children of a path in `b` stay. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => combineChildren(a, b, subtractNodes, true, false);
/** Paths of `a` that are neither in `b` nor below a path in `b`. */
export const withoutTrees = (a: FieldSet, b: FieldSet): FieldSet => combineChildren(a, b, subtractTrees, true, false);

/** What the set holds below one element: whether the element itself is in the set, and the paths below it. */
export function below(
  set: FieldSet,
  element: string,
): { readonly member: boolean; readonly set: FieldSet } | undefined {
  const child = set[element];
  if (child === undefined) return undefined;
  if (child['.'] === undefined) return { member: isEmptySet(child), set: child };
  const { '.': _, ...rest } = child;
  return { member: true, set: rest };
}

/** Makes a node from what `below` gives. */
export const above = (member: boolean, set: FieldSet): FieldSet | undefined => node(member, set as MutableFieldSet);

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let current: FieldSet | undefined = set;
  for (const element of path) current = current?.[element];
  return current !== undefined && path.length > 0 && isMember(current);
}

/** Every path, members of a level before what is below them. */
export function* pathsOf(set: FieldSet, prefix: readonly string[] = []): Generator<readonly string[]> {
  const elements = Object.keys(set)
    .filter((element) => element !== '.')
    .sort(compareElements);
  for (const element of elements) if (isMember(set[element] ?? EMPTY)) yield [...prefix, element];
  for (const element of elements) yield* pathsOf(set[element] ?? EMPTY, [...prefix, element]);
}

const RANKS = '.fkvi';

/** Upstream's order: fields, then keys, values and indexes, each alphabetical. */
function compareElements(a: string, b: string): number {
  const rank = RANKS.indexOf(a.charAt(0)) - RANKS.indexOf(b.charAt(0));
  if (rank !== 0) return rank;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The same set with its keys in upstream's order. */
export function sortedSet(set: FieldSet): FieldSet {
  const result: MutableFieldSet = {};
  for (const element of Object.keys(set).sort(compareElements)) {
    result[element] = sortedSet(set[element] ?? EMPTY) as MutableFieldSet;
  }
  return result;
}
