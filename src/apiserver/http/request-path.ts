/** What a URL names, as apiserver's RequestInfo. */
export type RequestPath =
  | { readonly type: 'other'; readonly path: string }
  | {
      readonly type: 'resource';
      readonly group: string;
      readonly version: string;
      /** Given as `/namespaces/NAME/…`; empty without. */
      readonly namespace: string;
      readonly plural: string;
      readonly name: string;
      /** All that follows the name: `status`, `proxy/a/b`. */
      readonly subresource: string;
      /** By the old `/watch/` prefix. */
      readonly watch: boolean;
    };

/** Parses a path (without query). Throws URIError for a broken escape. */
export function parseRequestPath(path: string): RequestPath {
  const parts = decodeURIComponent(path).split('/').slice(1);
  if (parts.at(-1) === '') parts.pop();
  const other = { type: 'other', path } as const;
  const skip = parts[0] === 'api' ? 2 : parts[0] === 'apis' ? 3 : 0;
  if (skip === 0 || parts.length <= skip || parts.includes('')) return other;
  const group = skip === 2 ? '' : (parts[1] as string);
  const version = parts[skip - 1] as string;
  let rest = parts.slice(skip);
  const watch = rest[0] === 'watch' && rest.length > 1;
  if (watch) rest = rest.slice(1);
  let namespace = '';
  if (rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize') {
    namespace = rest[1] as string;
    rest = rest.slice(2);
  }
  const [plural = '', name = '', ...more] = rest;
  return { type: 'resource', group, version, namespace, plural, name, subresource: more.join('/'), watch };
}
