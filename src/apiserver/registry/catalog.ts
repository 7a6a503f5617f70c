import { builtInGroups, builtInResources } from './built-in-resources.ts';
import type { ResourceDefinition } from './resource-definition.ts';

export interface ApiGroup {
  readonly name: string;
  /** Best first. */
  readonly versions: readonly string[];
}

/** Kubernetes' order of versions: v2, v1, v1beta2, v1beta1, v1alpha1, then the rest by name. */
function compareVersions(a: string, b: string): number {
  const parse = (version: string): readonly [number, number, number] | undefined => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
    if (!match) return undefined;
    const stage = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
    return [stage, Number(match[1]), Number(match[3] ?? 0)];
  };
  const left = parse(a);
  const right = parse(b);
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  return right[0] - left[0] || right[1] - left[1] || right[2] - left[2];
}

/** All resources that are served now: the built-in ones, and those of the CustomResourceDefinitions. */
export class Catalog {
  readonly #byUrl = new Map<string, ResourceDefinition>();
  readonly #custom = new Map<string, readonly ResourceDefinition[]>();
  readonly #byCollection = new Map<string, readonly ResourceDefinition[]>();
  /** Grows whenever the set changes, for caches of what is derived from it. */
  #revision = 0;

  constructor() {
    for (const resource of builtInResources()) this.#byUrl.set(urlOf(resource), resource);
  }

  get revision(): number {
    return this.#revision;
  }

  find(group: string, version: string, plural: string): ResourceDefinition | undefined {
    return this.#byUrl.get(`${group}/${version}/${plural}`);
  }

  /** The definition that stores a collection. */
  byCollection(collection: string): ResourceDefinition | undefined {
    return this.all().find(
      (resource) => resource.collection === collection && resource.storageVersion.version === resource.version,
    );
  }

  /** All served versions of what a collection stores. */
  versionsOf({ collection }: ResourceDefinition): readonly ResourceDefinition[] {
    let found = this.#byCollection.get(collection);
    if (!found) {
      found = this.all().filter((resource) => resource.collection === collection);
      this.#byCollection.set(collection, found);
    }
    return found;
  }

  /** Whether a version of a group is the server's own. */
  isBuiltIn(group: string, version: string): boolean {
    return builtInGroups.some(({ name, versions }) => name === group && versions.includes(version));
  }

  isBuiltInGroup(group: string): boolean {
    return builtInGroups.some(({ name }) => name === group);
  }

  all(): readonly ResourceDefinition[] {
    return [...this.#byUrl.values()];
  }

  inVersion(group: string, version: string): readonly ResourceDefinition[] {
    return this.all()
      .filter((resource) => resource.group === group && resource.version === version)
      .sort((a, b) => (a.plural < b.plural ? -1 : 1));
  }

  /** Built-in groups in their order, then those of custom resources by name. */
  groups(): readonly ApiGroup[] {
    const custom = new Map<string, Set<string>>();
    for (const definitions of this.#custom.values()) {
      for (const { group, version } of definitions) custom.set(group, (custom.get(group) ?? new Set()).add(version));
    }
    const known = new Set(builtInGroups.map(({ name }) => name));
    const added = [...custom]
      .filter(([name]) => !known.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, versions]) => ({ name, versions: [...versions].sort(compareVersions) }));
    return [...builtInGroups, ...added];
  }

  /** Replaces what a CustomResourceDefinition serves; nothing when it is gone. */
  setCustom(crd: string, resources: readonly ResourceDefinition[]): void {
    for (const old of this.#custom.get(crd) ?? []) this.#byUrl.delete(urlOf(old));
    if (resources.length === 0) this.#custom.delete(crd);
    else this.#custom.set(crd, resources);
    for (const resource of resources) this.#byUrl.set(urlOf(resource), resource);
    this.#byCollection.clear();
    this.#revision++;
  }
}

const urlOf = ({ group, version, plural }: ResourceDefinition): string => `${group}/${version}/${plural}`;
