import { completionOf } from '../defaults/completions.ts';
import type { FieldError, FieldSchemaRef, JsonObject, Kind } from '../kind.ts';
import { decode, type StructType } from '../types/index.ts';
import { validateMeta, validateMetaUpdate } from '../validation/object-meta.ts';
import type { ExpressionSource } from './expression-source.ts';
import type { GroupVersionKind } from './resource-definition.ts';

/** Defaults and validation of one built-in kind beyond its metadata. */
export interface KindRules {
  prepare?(): Promise<void>;
  applyDefaults?(object: JsonObject): JsonObject;
  validateCreate?(object: JsonObject): readonly FieldError[];
  validateUpdate?(object: JsonObject, old: JsonObject, subresource: string): readonly FieldError[];
  warnings?(object: JsonObject, old?: JsonObject): readonly string[];
}

/** Finds the rules of a kind. */
export type BuiltInRules = (
  kind: GroupVersionKind,
  namespaced: boolean,
  expressions?: ExpressionSource,
) => KindRules | undefined;

/** A built-in kind out of its Go type and its rules. */
export function builtInKind(
  { group, version, kind }: GroupVersionKind,
  struct: StructType,
  schema: FieldSchemaRef,
  namespaced: boolean,
  rulesOf: BuiltInRules | undefined,
  expressions: ExpressionSource,
): Kind {
  const rules = rulesOf?.({ group, version, kind }, namespaced, expressions);
  const { prepare } = rules ?? {};
  return {
    group,
    version,
    kind,
    schema,
    ...(prepare ? { prepare } : {}),
    decode: (object) => decode(object, struct),
    applyDefaults: rules?.applyDefaults ?? completionOf(group, version, kind),
    validateCreate: (object) => rules?.validateCreate?.(object) ?? validateMeta(object, { namespaced }),
    validateUpdate: (object, old, subresource) =>
      rules?.validateUpdate?.(object, old, subresource) ?? validateMetaUpdate(object, old),
    ...(rules?.warnings ? { warnings: (object, old) => rules.warnings?.(object, old) ?? [] } : {}),
  };
}
