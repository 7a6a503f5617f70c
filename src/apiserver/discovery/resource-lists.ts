import type { Json, JsonObject } from '../kind.ts';
import type { ApiGroup, Catalog } from '../registry/catalog.ts';
import { apiVersionOf, type ResourceDefinition } from '../registry/resource-definition.ts';
import { aggregatedVersion, type RemoteGroups, withRemote } from './remote-discovery.ts';

const groupEntry = ({ name, versions }: ApiGroup): JsonObject => {
  const entries = versions.map((version) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions: entries, preferredVersion: entries[0] as JsonObject };
};

/** `/apis`: the groups with their versions. */
export const groupList = (catalog: Catalog, remote?: RemoteGroups): JsonObject => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: withRemote(catalog.groups(), remote?.groups() ?? [])
    .filter(({ name }) => name !== '')
    .map(groupEntry),
});

/** `/apis/GROUP`; undefined for a group that isn't served. */
export function groupOf(catalog: Catalog, name: string, remote?: RemoteGroups): JsonObject | undefined {
  const group = withRemote(catalog.groups(), remote?.groups() ?? []).find((one) => one.name === name);
  return group && name ? { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) } : undefined;
}

/** `/api`: the versions of the core group. */
export const coreVersions = (address: string): JsonObject => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
});

/** `/api/v1`, `/apis/GROUP/VERSION`: what a version serves; undefined for one that isn't there. */
export function resourceList(catalog: Catalog, group: string, version: string): JsonObject | undefined {
  const resources = catalog.inVersion(group, version);
  if (resources.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.flatMap(entries),
  };
}

function entries(resource: ResourceDefinition): readonly Json[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  const subresources = subresourcesOf(resource);
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: sorted(verbs),
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
    },
    ...subresources.map(([name, { verbs, kind: own }]) => ({
      name: `${plural}/${name}`,
      singularName: '',
      namespaced,
      ...(own?.group ? { group: own.group, version: own.version } : {}),
      kind: own?.kind ?? kind,
      verbs: sorted(verbs),
    })),
  ];
}

/** The aggregated form (apidiscovery.k8s.io/v2) of `/api` or `/apis`. */
export function aggregatedDiscovery(catalog: Catalog, core: boolean, remote?: RemoteGroups): JsonObject {
  const elsewhere = remote?.groups() ?? [];
  const isElsewhere = (group: string, version: string): boolean =>
    elsewhere.some(({ name, versions }) => name === group && versions.includes(version));
  const groups = withRemote(catalog.groups(), elsewhere).filter(({ name }) => (name === '') === core);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name ? { name } : {},
      versions: versions.map((version) =>
        isElsewhere(name, version)
          ? aggregatedVersion(name, version, remote?.resources(name, version))
          : {
              version,
              resources: catalog.inVersion(name, version).map(aggregated),
              freshness: 'Current',
            },
      ),
    })),
  };
}

function aggregated(resource: ResourceDefinition): JsonObject {
  const { shortNames, categories, crd, group, version } = resource;
  const type = (kind: string, own?: { readonly group: string; readonly version: string }): JsonObject => ({
    group: own?.group ?? (crd ? group : ''),
    version: own?.group ? own.version : crd ? version : '',
    kind,
  });
  const subresources = subresourcesOf(resource);
  return {
    resource: resource.plural,
    responseKind: type(resource.kind),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.crd ? resource.verbs : sorted(resource.verbs),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map(([subresource, { verbs, kind }]) => ({
            subresource,
            responseKind: type(kind?.kind ?? resource.kind, kind),
            verbs: sorted(verbs),
          })),
        }),
  };
}

const sorted = (verbs: readonly string[]): readonly string[] => [...verbs].sort();

/** By name; those of custom resources as they come. */
function subresourcesOf({ subresources, crd }: ResourceDefinition) {
  const entries = Object.entries(subresources);
  return crd ? entries : entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
