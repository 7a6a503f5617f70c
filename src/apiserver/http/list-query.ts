import { badRequest } from '../api-refusals.ts';
import type { ListQuery } from '../registry/list-options.ts';

/** Go's strconv.ParseInt on a query value. Throws ApiError 400. */
export function integer(query: URLSearchParams, key: string): number | undefined {
  const text = query.get(key);
  if (text === null || text === '') return undefined;
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
}

/** Kubernetes' truth in queries: absent, empty of value, `false` and `0` are false. */
export function truth(query: URLSearchParams, key: string): boolean | undefined {
  const text = query.get(key);
  if (text === null) return undefined;
  return text !== 'false' && text !== '0' && text !== 'False' && text !== 'FALSE';
}

/** ListOptions from a query. Throws ApiError 400. */
export function listQuery(query: URLSearchParams): ListQuery {
  const limit = integer(query, 'limit');
  const timeoutSeconds = integer(query, 'timeoutSeconds');
  const text = (key: keyof ListQuery & string) => (query.get(key) ? { [key]: query.get(key) as string } : {});
  const sendInitialEvents = truth(query, 'sendInitialEvents');
  return {
    ...text('labelSelector'),
    ...text('fieldSelector'),
    ...text('continue'),
    ...text('resourceVersion'),
    ...text('resourceVersionMatch'),
    ...(limit === undefined ? {} : { limit }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
    ...(truth(query, 'allowWatchBookmarks') ? { allowWatchBookmarks: true } : {}),
  };
}
