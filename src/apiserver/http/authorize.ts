import { forbidden, refusal } from '../api-refusals.ts';
import type { UserInfo } from '../registry/request.ts';
import type { RequestPath } from './request-path.ts';

/** One question to an authorizer. */
export type Attributes =
  | { readonly type: 'path'; readonly verb: string; readonly path: string }
  | {
      readonly type: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly plural: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    };

/** Whether a user may do something. */
export type Authorizer = (user: UserInfo, attributes: Attributes) => boolean;

const publicPaths = /^\/(healthz|livez|readyz|version)(\/.*)?$/;

/** Everybody who is known may do everything; others may ask for health and version. */
export const authenticatedMayDoAll: Authorizer = (user, attributes) =>
  user.groups.includes('system:authenticated') ||
  user.groups.includes('system:masters') ||
  (attributes.type === 'path' && publicPaths.test(attributes.path));

export function attributesOf(path: RequestPath, verb: string, method: string): Attributes {
  if (path.type === 'other')
    return { type: 'path', verb: method === 'HEAD' ? 'head' : method.toLowerCase(), path: path.path };
  const { group, plural, subresource, namespace, name } = path;
  const own = plural === 'namespaces' && group === '' ? name : namespace;
  return { type: 'resource', verb, group, plural, subresource, namespace: own, name };
}

/** Throws ApiError 403 in upstream's words unless the user may. */
export function authorize(may: Authorizer, user: UserInfo, attributes: Attributes): void {
  if (may(user, attributes)) return;
  if (attributes.type === 'path') {
    throw refusal(
      403,
      'Forbidden',
      `forbidden: User "${user.name}" cannot ${attributes.verb} path "${attributes.path}"`,
      {},
    );
  }
  const { verb, group, plural, subresource, namespace, name } = attributes;
  const resource = subresource ? `${plural}/${subresource}` : plural;
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  throw forbidden(
    { group, resource: plural },
    name,
    `User "${user.name}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`,
  );
}
