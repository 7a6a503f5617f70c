import { asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { metaOf, withMeta } from '../object-meta.ts';
import type { WriteRequest } from './request.ts';

/** The object with each owner once; tells the client of owners given twice. */
export function withDistinctOwners({ warn }: Pick<WriteRequest, 'warn'>, object: JsonObject): JsonObject {
  const owners = asObjects(metaOf(object).ownerReferences);
  if (owners.length < 2) return object;
  const seen = new Set<string>();
  const twice = new Set<string>();
  const distinct = owners.filter(({ uid }) => {
    const id = asString(uid);
    if (seen.has(id)) twice.add(id);
    return twice.has(id) && seen.has(id) ? false : seen.add(id) !== undefined;
  });
  if (twice.size === 0) return object;
  warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...twice].join(', ')}`,
  );
  return withMeta(object, { ownerReferences: distinct });
}
