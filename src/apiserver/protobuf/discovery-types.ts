import { builtinTable, type TypeTable } from '../types/index.ts';

const PACKAGE = 'api.apidiscovery.v2';
const META = 'apimachinery.pkg.apis.meta.v1';
const KIND = 'GroupVersionKind';

/** The types of aggregated discovery, which the table of API types leaves out (k8s.io/api/apidiscovery/v2). */
export const discoveryTable: TypeTable = {
  kinds: { 'apidiscovery.k8s.io/v2': { APIGroupDiscoveryList: `${PACKAGE}.APIGroupDiscoveryList` } },
  types: {
    ...builtinTable.types,
    [PACKAGE]: {
      APIGroupDiscoveryList: [`metadata ${META}.ListMeta 1 o`, 'items []APIGroupDiscovery 2'],
      APIGroupDiscovery: [`metadata ${META}.ObjectMeta 1 o`, 'versions []APIVersionDiscovery 2 o'],
      APIVersionDiscovery: ['version string 1', 'resources []APIResourceDiscovery 2 o', 'freshness string 3 o'],
      APIResourceDiscovery: [
        'resource string 1',
        `responseKind *${KIND} 2 o`,
        'scope string 3',
        'singularResource string 4',
        'verbs []string 5',
        'shortNames []string 6 o',
        'categories []string 7 o',
        'subresources []APISubresourceDiscovery 8 o',
      ],
      APISubresourceDiscovery: [
        'subresource string 1',
        `responseKind *${KIND} 2 o`,
        `acceptedTypes []${KIND} 3 o`,
        'verbs []string 4',
      ],
      [KIND]: ['group string 1', 'version string 2', 'kind string 3'],
    },
  },
};
