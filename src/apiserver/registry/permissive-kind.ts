import type { FieldSchema, Kind } from '../kind.ts';
import type { GroupVersionKind } from './resource-definition.ts';

const untyped: FieldSchema = { kind: 'untyped' };

/** A kind that takes every field and adds none, for resources whose fields nothing is known of. */
export const permissiveKind = ({ group, version, kind }: GroupVersionKind): Kind => ({
  group,
  version,
  kind,
  schema: () => untyped,
  decode: (object) => ({ object, unknown: [] }),
  applyDefaults: (object) => object,
  validateCreate: () => [],
  validateUpdate: () => [],
});
