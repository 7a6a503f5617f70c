import type { Resource } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/objects.ts';

/** The objects of one cluster at one moment, by resource. */
export class ObjectSet {
  readonly #byKind = new Map<string, KubeObject[]>();
  /** Every object, in the order in which it was read. */
  readonly all: readonly KubeObject[];

  constructor(objects: readonly KubeObject[]) {
    this.all = objects;
    for (const object of objects) {
      const key = keyOf(object.apiVersion ?? '', object.kind ?? '');
      const list = this.#byKind.get(key);
      if (list) list.push(object);
      else this.#byKind.set(key, [object]);
    }
  }

  /** The objects of a resource, whatever their version. */
  of<T extends KubeObject>({ group, kind }: Resource<T>): readonly T[] {
    return (this.#byKind.get(`${group}/${kind}`) ?? []) as readonly KubeObject[] as readonly T[];
  }

  /** Kinds with their number of objects, of those that `known` doesn't hold. */
  unknownKinds(known: readonly Resource[]): ReadonlyMap<string, number> {
    const names = new Set(known.map(({ group, kind }) => `${group}/${kind}`));
    const result = new Map<string, number>();
    for (const [key, objects] of this.#byKind) {
      if (!names.has(key)) result.set(objects[0]?.kind ?? key, objects.length);
    }
    return result;
  }
}

function keyOf(apiVersion: string, kind: string): string {
  const slash = apiVersion.indexOf('/');
  return `${slash < 0 ? '' : apiVersion.slice(0, slash)}/${kind}`;
}

/** Every object once: of those that are given again the last counts, in the place of the first. */
export function lastOfEach(objects: readonly KubeObject[]): {
  readonly objects: readonly KubeObject[];
  /** `Kind namespace/name` of those that were given again. */
  readonly repeated: readonly string[];
} {
  const last = new Map<string, KubeObject>();
  const repeated = new Set<string>();
  for (const object of objects) {
    const { namespace, name } = object.metadata;
    const key = JSON.stringify([keyOf(object.apiVersion ?? '', object.kind ?? ''), namespace ?? 'default', name]);
    if (last.has(key)) repeated.add(`${object.kind} ${namespace ? `${namespace}/` : ''}${name}`);
    last.set(key, object);
  }
  return { objects: [...last.values()], repeated: [...repeated] };
}
