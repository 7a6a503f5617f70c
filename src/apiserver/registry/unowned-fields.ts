import { withMeta } from '../object-meta.ts';
import { applyJsonMergePatch } from '../patch/index.ts';
import type { FieldManagement } from './field-management.ts';

/** Field management that keeps no owners: applying merges. */
export const unownedFields: FieldManagement = {
  update: (_change, object) => withMeta(object, { managedFields: undefined }),
  apply: (_change, live, applied) => applyJsonMergePatch(live, applied),
};
