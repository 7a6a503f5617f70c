import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from '../api-refusals.ts';
import type { Attributes } from '../auth/attributes.ts';
import type { UserInfo } from '../registry/request.ts';
import { type Authorizer, notAllowed } from './authorize.ts';

const extraPrefix = 'impersonate-extra-';

/**
 * The user that a request wants to act as, by its Impersonate- headers; undefined without any. Throws ApiError 400 for
 * headers that name nobody, 403 unless the user may act as that one.
 */
export function impersonated(
  headers: IncomingHttpHeaders,
  user: UserInfo,
  attributes: Attributes,
  may: Authorizer,
): UserInfo | undefined {
  const name = text(headers['impersonate-user']);
  const uid = text(headers['impersonate-uid']);
  const groups = listOf(headers['impersonate-group']);
  const extra = extraOf(headers);
  const wanted = name || uid || groups.length > 0 || Object.keys(extra).length > 0;
  if (!wanted) return undefined;
  if (!name) throw badRequest(`requested ${goUser(uid, groups, extra)} without impersonating a user name`);
  const targets = [
    { plural: 'users', name },
    ...groups.map((group) => ({ plural: 'groups', name: group })),
    ...(uid ? [{ plural: 'uids', name: uid }] : []),
  ];
  for (const { plural, name: target } of targets) {
    const question: Attributes = {
      type: 'resource',
      verb: 'impersonate',
      group: plural === 'uids' ? 'authentication.k8s.io' : '',
      plural,
      subresource: '',
      namespace: '',
      name: target,
    };
    if (!may(user, question)) throw notAllowed(user, attributes, `impersonate-on:user-info:${attributes.verb}`);
  }
  return {
    name,
    groups: withImplied(name, groups),
    ...(uid ? { uid } : {}),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

const text = (value: string | readonly string[] | undefined): string => (typeof value === 'string' ? value : '');
const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined
    ? []
    : [value]
        .flat()
        .flatMap((one) => one.split(','))
        .map((one) => one.trim());

function extraOf(headers: IncomingHttpHeaders): Readonly<Record<string, readonly string[]>> {
  const entries = Object.entries(headers)
    .filter(([key]) => key.startsWith(extraPrefix))
    .map(([key, value]) => [decodeURIComponent(key.slice(extraPrefix.length)), listOf(value)] as const);
  return Object.fromEntries(entries);
}

/** The groups that come with a name. */
function withImplied(name: string, groups: readonly string[]): readonly string[] {
  if (name === 'system:anonymous') return [...groups, 'system:unauthenticated'];
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(name);
  const own =
    account && groups.length === 0 ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`] : groups;
  return own.includes('system:authenticated') ? own : [...own, 'system:authenticated'];
}

function goUser(uid: string, groups: readonly string[], extra: Readonly<Record<string, readonly string[]>>): string {
  const list = (values: readonly string[]): string =>
    `[]string{${values.map((one) => JSON.stringify(one)).join(', ')}}`;
  const shownGroups = groups.length > 0 ? list(groups) : '[]string(nil)';
  const entries = Object.entries(extra).map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`);
  const shownExtra = entries.length > 0 ? `map[string][]string{${entries.join(', ')}}` : 'map[string][]string(nil)';
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`;
}
