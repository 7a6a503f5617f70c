import { checkTyped } from '../../apply/check-typed.ts';
import { mergeTyped } from '../../apply/merge-typed.ts';
import { childSchema, isAtomic, shapeOf } from '../../apply/shape.ts';
import { isObject } from '../../json.ts';
import type { FieldSchema, Json, JsonObject } from '../../kind.ts';

/** A configuration that can't be laid over an object. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}

/** Where a configuration would replace the whole of what can't be merged, as in `.spec.selector`. */
const atomicPaths = (value: Json, schema: FieldSchema, path: string): readonly string[] => {
  const shape = shapeOf(schema, value);
  if (shape.kind === 'map' && isObject(value)) {
    const here = isAtomic(shape.schema) ? [path] : [];
    if (shape.schema.kind !== 'struct') return here;
    const below = Object.entries(value).flatMap(([name, item]) => {
      const child = childSchema(shape.schema, name);
      return child === undefined || item === undefined ? [] : atomicPaths(item, child, `${path}.${name}`);
    });
    return [...here, ...below];
  }
  if (shape.kind !== 'list' || !Array.isArray(value)) return [];
  const here = shape.schema.listType === 'atomic' ? [path] : [];
  const items = (value as readonly Json[]).flatMap((item, at) =>
    atomicPaths(item, shape.schema.items(), `${path}[${at}]`),
  );
  return [...here, ...items];
};

/**
 * The object with a policy's configuration laid over it, which owns nothing (apiserver policy/mutating/patch/smd.go).
 *
 * @throws MutationError for a configuration that doesn't fit the schema or would replace something atomic.
 */
export const laidOver = (object: JsonObject, configuration: JsonObject, schema: FieldSchema): JsonObject => {
  const faults = checkTyped(configuration, schema);
  if (faults.length > 0) {
    const list = faults.length === 1 ? faults.join() : ['errors:', ...faults.map((line) => `  ${line}`)].join('\n');
    throw new MutationError(`error applying patch: failed to convert patch object to typed object: ${list}`);
  }
  const atomic = atomicPaths(configuration, schema, '');
  if (atomic.length > 0) {
    const words = `may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`;
    throw new MutationError(`error applying patch: invalid ApplyConfiguration: ${words}`);
  }
  const merged = mergeTyped(object, configuration, schema);
  return isObject(merged) ? merged : object;
};
