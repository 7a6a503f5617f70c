import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { isJsonList } from './json-list.ts';
import { PatchError } from './patch-error.ts';

const MOST_OPERATIONS = 10_000;

/** kube-apiserver answers every operation that can't be done with this text. */
const refusal = (): PatchError => new PatchError(422, 'the server rejected our request due to an error in our request');

/**
 * The document after a JSON patch (RFC 6902). Departs from the RFC where kube-apiserver's library does: `replace` of an
 * absent member adds it, `test` for null passes on an absent member, a negative index counts from the end. Changes nothing.
 *
 * @throws {PatchError} 400 if the patch isn't a list, 413 for more than 10,000 operations, 422 if one can't be done.
 */
export function applyJsonPatch(document: JsonObject, patch: Json): Json {
  if (!isJsonList(patch)) {
    const found = isObject(patch) ? 'object' : patch === null ? undefined : goKind(patch);
    if (found === undefined) return document;
    throw new PatchError(
      400,
      `error decoding patch: json: cannot unmarshal ${found} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (patch.length > MOST_OPERATIONS) {
    const text = `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${patch.length}`;
    throw new PatchError(413, `Request entity too large: ${text}`);
  }
  return patch.reduce<Json>(applyOperation, document);
}

const goKind = (value: Json): string => (typeof value === 'boolean' ? 'bool' : typeof value);

function applyOperation(document: Json, operation: Json): Json {
  if (!isObject(operation) || typeof operation.path !== 'string') throw refusal();
  const path = parsePointer(operation.path);
  switch (operation.op) {
    case 'add':
      return edit(document, path, insert(given(operation)));
    case 'replace':
      return path.length === 0 ? given(operation) : edit(document, path, overwrite(given(operation)));
    case 'remove':
      return edit(document, path, remove);
    case 'move': {
      const from = source(operation);
      const value = find(document, from);
      if (value === undefined) throw refusal();
      return edit(edit(document, from, remove), path, insert(value));
    }
    case 'copy': {
      const value = find(document, source(operation));
      if (value === undefined) throw refusal();
      return edit(document, path, insert(value));
    }
    case 'test':
      if (!isDeepStrictEqual(find(document, path) ?? null, operation.value ?? null)) throw refusal();
      return document;
    default:
      throw refusal();
  }
}

const given = (operation: JsonObject): Json => {
  if (operation.value === undefined) throw refusal();
  return operation.value;
};

function source(operation: JsonObject): readonly string[] {
  if (typeof operation.from !== 'string') throw refusal();
  return parsePointer(operation.from);
}

function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw refusal();
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Where a token points in a list; `length` itself is allowed where something may be added. */
function position(list: readonly Json[], token: string, mayAdd: boolean): number {
  if (token === '-' && mayAdd) return list.length;
  if (!/^-?\d+$/.test(token)) throw refusal();
  const size = mayAdd ? list.length + 1 : list.length;
  const index = Number(token) < 0 ? Number(token) + size : Number(token);
  if (index < 0 || index >= size) throw refusal();
  return index;
}

function find(document: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = document;
  for (const [depth, token] of path.entries()) {
    if (isJsonList(value)) value = value[position(value, token, false)];
    else if (isObject(value)) value = Object.hasOwn(value, token) ? value[token] : undefined;
    else if (depth > 0) throw refusal();
  }
  return value;
}

interface Change {
  object(parent: JsonObject, key: string): JsonObject;
  list(parent: readonly Json[], token: string): readonly Json[];
}

const withKey = (object: JsonObject, key: string, value: Json): JsonObject =>
  Object.fromEntries([...Object.entries(object).filter(([name]) => name !== key), [key, value]]);

const insert = (value: Json): Change => ({
  object: (parent, key) => withKey(parent, key, value),
  list: (parent, token) => parent.toSpliced(position(parent, token, true), 0, value),
});

const overwrite = (value: Json): Change => ({
  object: (parent, key) => withKey(parent, key, value),
  list: (parent, token) => parent.with(position(parent, token, false), value),
});

const remove: Change = {
  object(parent, key) {
    if (!Object.hasOwn(parent, key)) throw refusal();
    return Object.fromEntries(Object.entries(parent).filter(([name]) => name !== key));
  },
  list: (parent, token) => parent.toSpliced(position(parent, token, false), 1),
};

/** Copies what lies on the path and changes its end. */
function edit(node: Json | undefined, path: readonly string[], change: Change): Json {
  const [token, ...rest] = path;
  if (token === undefined) throw refusal();
  if (isJsonList(node)) {
    if (rest.length === 0) return change.list(node, token);
    const index = position(node, token, false);
    return node.with(index, edit(node[index], rest, change));
  }
  if (!isObject(node)) throw refusal();
  if (rest.length === 0) return change.object(node, token);
  if (!Object.hasOwn(node, token)) throw refusal();
  return { ...node, [token]: edit(node[token], rest, change) };
}
