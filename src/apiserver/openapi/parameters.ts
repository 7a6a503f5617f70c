import type { JsonObject } from '../kind.ts';
import type { Dialect } from './dialect.ts';

type ParameterType = 'string' | 'integer' | 'boolean';

const QUERY: Readonly<Record<string, ParameterType>> = {
  allowWatchBookmarks: 'boolean',
  continue: 'string',
  dryRun: 'string',
  fieldManager: 'string',
  fieldSelector: 'string',
  fieldValidation: 'string',
  force: 'boolean',
  gracePeriodSeconds: 'integer',
  ignoreStoreReadErrorWithClusterBreakingPotential: 'boolean',
  labelSelector: 'string',
  limit: 'integer',
  orphanDependents: 'boolean',
  pretty: 'string',
  propagationPolicy: 'string',
  resourceVersion: 'string',
  resourceVersionMatch: 'string',
  sendInitialEvents: 'boolean',
  shardSelector: 'string',
  timeoutSeconds: 'integer',
  watch: 'boolean',
};

const LIST = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
];
const WRITE = ['dryRun', 'fieldManager', 'fieldValidation'];
const DELETE = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];
const WITHOUT_WATCH = LIST.filter((name) => name !== 'watch' && name !== 'allowWatchBookmarks');

/** Query parameters of each kind of operation; kubectl looks for `fieldValidation` and `dryRun`. */
const BY_ACTION: Readonly<Record<string, readonly string[]>> = {
  list: LIST,
  post: WRITE,
  put: WRITE,
  patch: [...WRITE, 'force'],
  delete: DELETE,
  deletecollection: [...new Set([...WITHOUT_WATCH, ...DELETE])],
  get: [],
};

export const queryParameters = (action: string, dialect: Dialect): readonly JsonObject[] =>
  (BY_ACTION[action] ?? []).map((name) => parameter(name, 'query', QUERY[name] ?? 'string', dialect));

/** The parameters in a path, and `pretty`, which every operation takes. */
export function pathParameters(path: string, dialect: Dialect): readonly JsonObject[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return [
    ...names.map((name) => parameter(name, 'path', 'string', dialect)),
    parameter('pretty', 'query', 'string', dialect),
  ];
}

function parameter(name: string, place: 'path' | 'query', type: ParameterType, dialect: Dialect): JsonObject {
  const schema = { type, uniqueItems: true };
  const required = place === 'path' ? { required: true } : {};
  return { name, in: place, ...required, ...(dialect === 'v2' ? schema : { schema }) };
}
