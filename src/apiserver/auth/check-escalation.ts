import { forbidden } from '../api-refusals.ts';
import { asArray, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { nameOf } from '../object-meta.ts';
import type { WriteRequest } from '../registry/request.ts';
import { groupResourceOf } from '../registry/resource-definition.ts';
import { permits, type Rbac } from './rbac.ts';

const roles = new Set(['rbac.authorization.k8s.io/clusterroles', 'rbac.authorization.k8s.io/roles']);

/** Nobody gives what they haven't got: throws ApiError 403 for a role with more rules than its writer has. */
export function checkEscalation(rbac: Pick<Rbac, 'rulesOf'>, request: WriteRequest, body: JsonObject): void {
  const { user, resource, namespace } = request;
  if (!roles.has(resource.collection) || user.groups.includes('system:masters')) return;
  const own = rbac.rulesOf(user, namespace);
  const missing = asObjects(body.rules).filter((rule) => !covered(own, rule));
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  throw forbidden(
    groupResourceOf(resource),
    request.name || nameOf(body),
    `user "${user.name}" (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${missing.map(shown).join('\n')}`,
  );
}

/** Whether rules allow all that another rule allows. */
function covered(own: readonly JsonObject[], rule: JsonObject): boolean {
  const strings = (key: string): readonly string[] => asArray(rule[key]).map(asString);
  const names = strings('resourceNames');
  for (const verb of strings('verbs')) {
    for (const path of strings('nonResourceURLs')) {
      if (!own.some((one) => permits(one, { type: 'path', verb, path }))) return false;
    }
    for (const group of strings('apiGroups')) {
      for (const resource of strings('resources')) {
        const [plural = '', subresource = ''] = resource.split('/');
        for (const name of names.length > 0 ? names : ['']) {
          const what = { type: 'resource', verb, group, plural, subresource, namespace: '', name } as const;
          if (!own.some((one) => permits(one, what))) return false;
        }
      }
    }
  }
  return true;
}

const fields: readonly (readonly [string, string])[] = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['ResourceNames', 'resourceNames'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['Verbs', 'verbs'],
];

function shown(rule: JsonObject): string {
  const parts = fields
    .filter(([, key]) => asArray(rule[key]).length > 0)
    .map(
      ([title, key]) =>
        `${title}:[${asArray(rule[key])
          .map((value) => JSON.stringify(value))
          .join(' ')}]`,
    );
  return `{${parts.join(', ')}}`;
}
