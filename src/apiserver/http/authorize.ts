import { forbidden, refusal } from '../api-refusals.ts';
import type { Attributes } from '../auth/attributes.ts';
import type { UserInfo } from '../registry/request.ts';
import type { RequestPath } from './request-path.ts';

/** Whether a user may do something. */
export type Authorizer = (user: UserInfo, attributes: Attributes) => boolean;

/** What a request wants to do. A list of one object by its name counts as that object's. */
export function attributesOf(path: RequestPath, verb: string, method: string, query: URLSearchParams): Attributes {
  if (path.type === 'other') {
    return { type: 'path', verb: method === 'HEAD' ? 'head' : method.toLowerCase(), path: path.path };
  }
  const { group, plural, subresource, namespace } = path;
  const selected = /^metadata\.name==?([^,]+)$/.exec(query.get('fieldSelector') ?? '')?.[1] ?? '';
  const name = path.name || (verb === 'create' ? '' : selected);
  const own = plural === 'namespaces' && group === '' ? name : namespace;
  return { type: 'resource', verb, group, plural, subresource, namespace: own, name };
}

/** Throws ApiError 403 in upstream's words unless the user may. */
export function authorize(may: Authorizer, user: UserInfo, attributes: Attributes): void {
  if (!may(user, attributes)) throw notAllowed(user, attributes, attributes.verb);
}

/** 403: the user can't do `verb`, which may be another than the one that was asked about. */
export function notAllowed(user: UserInfo, attributes: Attributes, verb: string) {
  if (attributes.type === 'path') {
    return refusal(403, 'Forbidden', `forbidden: User "${user.name}" cannot ${verb} path "${attributes.path}"`, {});
  }
  const { group, plural, subresource, namespace, name } = attributes;
  const resource = subresource ? `${plural}/${subresource}` : plural;
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  return forbidden(
    { group, resource: plural },
    name,
    `User "${user.name}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`,
  );
}
