import { asArray, asObject, asString } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import type { ApiGroup } from '../registry/catalog.ts';

/** The APIs of other servers, as discovery lists them. */
export interface RemoteGroups {
  groups(): readonly ApiGroup[];
  /** Entries of an APIResourceList; undefined where the server can't be reached. */
  resources(group: string, version: string): readonly JsonObject[] | undefined;
}

/** Groups with those of other servers after them; a group that is in both has the versions of both. */
export const withRemote = (groups: readonly ApiGroup[], remote: readonly ApiGroup[]): readonly ApiGroup[] => {
  if (remote.length === 0) return groups;
  const merged = groups.map((group) => {
    const more = remote.find(({ name }) => name === group.name)?.versions ?? [];
    return more.length === 0 ? group : { ...group, versions: [...group.versions, ...more] };
  });
  return [...merged, ...remote.filter(({ name }) => !groups.some((group) => group.name === name))];
};

const typeOf = (entry: JsonObject, group: string, version: string): JsonObject => ({
  group: asString(entry.group) || group,
  version: asString(entry.version) || version,
  kind: asString(entry.kind),
});

const listed = (entry: JsonObject, name: string): JsonObject =>
  asArray(entry[name]).length > 0 ? { [name]: entry[name] } : {};

/** One version of another server in the aggregated form of discovery. */
export const aggregatedVersion = (
  group: string,
  version: string,
  resources: readonly JsonObject[] | undefined,
): JsonObject => {
  if (resources === undefined) return { version, freshness: 'Stale' };
  const whole = resources.filter(({ name }) => !asString(name).includes('/'));
  const entries: readonly Json[] = whole.map((entry) => {
    const prefix = `${asString(entry.name)}/`;
    const parts = resources.filter(({ name }) => asString(name).startsWith(prefix));
    const subresources = parts.map((part) => ({
      subresource: asString(part.name).slice(prefix.length),
      responseKind: typeOf(part, group, version),
      verbs: part.verbs ?? [],
    }));
    return {
      resource: asString(entry.name),
      responseKind: typeOf(entry, group, version),
      scope: asObject(entry).namespaced === true ? 'Namespaced' : 'Cluster',
      singularResource: asString(entry.singularName),
      verbs: entry.verbs ?? [],
      ...listed(entry, 'shortNames'),
      ...listed(entry, 'categories'),
      ...(subresources.length > 0 ? { subresources } : {}),
    };
  });
  return { version, resources: entries, freshness: 'Current' };
};
