import { asString, isObject, jsonEqual } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';

/** The patch can't be applied; says why, for those who debug it. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError';
}

const pointer = (path: unknown): readonly string[] => {
  if (typeof path !== 'string') throw new JsonPatchError('a path is missing');
  if (path === '') return [];
  if (!path.startsWith('/')) throw new JsonPatchError(`${path} does not start with a slash`);
  return path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
};

/**
 * Applies an RFC 6902 patch and leaves `document` as it is. As the library that kube-apiserver uses, `replace` of a
 * missing key adds it and `test` of a missing key against null holds. Throws JsonPatchError.
 */
export function applyJsonPatch(document: Json, operations: readonly Json[]): Json {
  return operations.reduce(applyOne, document);
}

function applyOne(document: Json, operation: Json): Json {
  if (!isObject(operation)) throw new JsonPatchError('not an operation');
  const path = pointer(operation.path);
  switch (operation.op) {
    case 'add':
      return changed(document, path, operand(operation), 'add');
    case 'replace':
      return changed(document, path, operand(operation), 'replace');
    case 'remove':
      return changed(document, path, undefined, 'remove');
    case 'test': {
      const found = lookUp(document, path);
      if (!jsonEqual(found ?? null, operation.value ?? null))
        throw new JsonPatchError(`test of ${asString(operation.path)} failed`);
      return document;
    }
    case 'move': {
      const from = pointer(operation.from);
      const value = existing(document, from);
      return changed(changed(document, from, undefined, 'remove'), path, value, 'add');
    }
    case 'copy':
      return changed(document, path, existing(document, pointer(operation.from)), 'add');
    default:
      throw new JsonPatchError(`unknown operation ${String(operation.op)}`);
  }
}

function operand(operation: JsonObject): Json {
  return operation.value ?? null;
}

function existing(document: Json, path: readonly string[]): Json {
  const found = lookUp(document, path);
  if (found === undefined) throw new JsonPatchError(`/${path.join('/')} does not exist`);
  return found;
}

/** The value at a path; undefined for a missing last key. */
function lookUp(document: Json, path: readonly string[]): Json | undefined {
  let here: Json | undefined = document;
  for (const [depth, key] of path.entries()) {
    if (Array.isArray(here)) here = here[index(here, key, here.length - 1)] as Json;
    else if (isObject(here)) here = here[key];
    else throw new JsonPatchError(`/${path.slice(0, depth).join('/')} has no members`);
  }
  return here;
}

function changed(
  document: Json,
  path: readonly string[],
  value: Json | undefined,
  how: 'add' | 'replace' | 'remove',
): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value ?? null;
  if (Array.isArray(document)) {
    const list: Json[] = [...document];
    if (rest.length > 0) {
      const position = index(list, key, list.length - 1);
      list[position] = changed(list[position] as Json, rest, value, how);
    } else if (how === 'add') {
      list.splice(key === '-' ? list.length : index(list, key, list.length), 0, value as Json);
    } else if (how === 'replace') list[index(list, key, list.length - 1)] = value as Json;
    else list.splice(index(list, key, list.length - 1), 1);
    return list;
  }
  if (!isObject(document)) throw new JsonPatchError(`there is nothing to hold ${key}`);
  if (rest.length > 0) {
    const child = document[key];
    if (child === undefined || child === null) throw new JsonPatchError(`${key} does not exist`);
    return { ...document, [key]: changed(child, rest, value, how) };
  }
  if (how !== 'remove') return { ...document, [key]: value };
  if (!(key in document)) throw new JsonPatchError(`${key} does not exist`);
  const { [key]: _, ...others } = document;
  return others;
}

function index(list: readonly Json[], key: string, last: number): number {
  const number = /^-?\d+$/.test(key) ? Number(key) : Number.NaN;
  const position = number < 0 ? list.length + number : number;
  if (!(position >= 0 && position <= last)) throw new JsonPatchError(`${key} is not an index of the list`);
  return position;
}
