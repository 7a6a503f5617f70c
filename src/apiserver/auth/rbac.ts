import { asArray, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { nameOf, namespaceOf } from '../object-meta.ts';
import type { UserInfo } from '../registry/request.ts';
import type { Store } from '../store/store.ts';
import type { Attributes } from './attributes.ts';

export interface Decision {
  readonly allowed: boolean;
  /** Which binding allowed it; empty for a refusal, and for the group that may do everything. */
  readonly reason: string;
}

/** One binding that is about a user: its rules, and how a decision names it. */
interface Grant {
  readonly rules: readonly JsonObject[];
  readonly reason: string;
}

const group = 'rbac.authorization.k8s.io';

/** Role-based access control over the roles and bindings in the store (kubernetes' plugin/pkg/auth/authorizer/rbac). */
export class Rbac {
  readonly #store: Store;

  constructor({ store }: { readonly store: Store }) {
    this.#store = store;
  }

  decide(user: UserInfo, attributes: Attributes): Decision {
    if (user.groups.includes('system:masters')) return { allowed: true, reason: '' };
    const namespace = attributes.type === 'resource' ? attributes.namespace : '';
    for (const { rules, reason } of this.#grants(user, namespace)) {
      if (rules.some((rule) => permits(rule, attributes)))
        return { allowed: true, reason: `RBAC: allowed by ${reason}` };
    }
    return { allowed: false, reason: '' };
  }

  /** All rules that a user has in a namespace, or cluster-wide for an empty one. */
  rulesOf(user: UserInfo, namespace: string): readonly JsonObject[] {
    return [...this.#grants(user, namespace)].flatMap(({ rules }) => rules);
  }

  *#grants(user: UserInfo, namespace: string): Generator<Grant> {
    for (const [, binding] of this.#store.list(`${group}/clusterrolebindings`)) yield* this.#granted(user, binding);
    if (!namespace) return;
    for (const [, binding] of this.#store.list(`${group}/rolebindings`, `${namespace}/`)) {
      yield* this.#granted(user, binding);
    }
  }

  *#granted(user: UserInfo, binding: JsonObject): Generator<Grant> {
    const namespace = namespaceOf(binding);
    const subject = asObjects(binding.subjects).find((one) => isSubject(one, user, namespace));
    if (!subject) return;
    const { kind, name } = asObject(binding.roleRef);
    const key = kind === 'Role' ? `${namespace}/${asString(name)}` : asString(name);
    const role = this.#store.get(`${group}/${kind === 'Role' ? 'roles' : 'clusterroles'}`, key);
    if (!role) return;
    const shown = namespace
      ? `RoleBinding "${nameOf(binding)}/${namespace}"`
      : `ClusterRoleBinding "${nameOf(binding)}"`;
    const to = `${asString(subject.kind)} "${subjectName(subject)}"`;
    yield {
      rules: asObjects(role.rules),
      reason: `${shown} of ${asString(kind)} "${asString(name)}" to ${to}`,
    };
  }
}

const subjectName = ({ kind, name, namespace }: JsonObject): string =>
  kind === 'ServiceAccount' ? `${asString(name)}/${asString(namespace)}` : asString(name);

function isSubject({ kind, name, namespace }: JsonObject, user: UserInfo, own: string): boolean {
  switch (kind) {
    case 'User':
      return user.name === name;
    case 'Group':
      return user.groups.includes(asString(name));
    case 'ServiceAccount':
      return user.name === `system:serviceaccount:${asString(namespace) || own}:${asString(name)}`;
    default:
      return false;
  }
}

const has = (list: unknown, value: string): boolean => {
  const values = asArray(list);
  return values.includes('*') || values.includes(value);
};

/** Whether one PolicyRule allows one thing. */
export function permits(rule: JsonObject, attributes: Attributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false;
  if (attributes.type === 'path') {
    return asArray(rule.nonResourceURLs).some((url) => matchesPath(asString(url), attributes.path));
  }
  const { plural, subresource, name } = attributes;
  if (!has(rule.apiGroups, attributes.group) || !namesResource(rule, plural, subresource)) return false;
  const names = asArray(rule.resourceNames);
  return names.length === 0 || (name !== '' && names.includes(name));
}

function namesResource(rule: JsonObject, plural: string, subresource: string): boolean {
  const whole = subresource ? `${plural}/${subresource}` : plural;
  return asArray(rule.resources).some(
    (resource) => resource === '*' || resource === whole || (subresource !== '' && resource === `*/${subresource}`),
  );
}

const matchesPath = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
