import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '../../kube/objects.ts';
import { UserError } from '../user-error.ts';
import { describeValue, isRecord, missingPart } from './missing-part.ts';
import type { ObjectShapes } from './object-shapes.ts';
import { type InputDocument, readDocuments } from './read-documents.ts';

const EXTENSION = /\.(ya?ml|json)$/;
const STDIN = '-';

export interface ReadObjectsDeps {
  readonly readStdin: () => Promise<string>;
}

/**
 * Every Kubernetes object of files, folders (walked, in order of name) and `-`: several documents, Lists and JSON
 * arrays are flattened. Throws a UserError naming file, document and line for what is no object.
 */
export async function readObjects(paths: readonly string[], deps: ReadObjectsDeps): Promise<readonly KubeObject[]> {
  const { ObjectShapes } = await import('./object-shapes.ts');
  const shapes = new ObjectShapes();
  const objects: KubeObject[] = [];
  for (const path of paths) {
    for (const file of path === STDIN ? [STDIN] : await filesUnder(path)) {
      const text = file === STDIN ? await deps.readStdin() : await readText(file);
      const name = file === STDIN ? 'standard input' : file;
      for (const document of await readDocuments(text, name)) objects.push(...objectsOf(document, name, shapes));
    }
  }
  return objects;
}

async function filesUnder(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && EXTENSION.test(entry.name));
    if (files.length === 0) {
      throw new UserError(`${path}: no .yaml, .yml or .json file in this folder`, { code: 'KE1103' });
    }
    return files.map((entry) => join(entry.parentPath, entry.name)).sort();
  } catch (error) {
    throw error instanceof UserError ? error : unreadable(path, error);
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(path: string, error: unknown): UserError {
  const { code = '' } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = { ENOENT: 'no such file or folder', EACCES: 'permission denied' };
  return new UserError(`${path}: ${reasons[code] ?? (error as Error).message}`, { code: 'KE1102', cause: error });
}

function objectsOf(document: InputDocument, file: string, shapes: ObjectShapes): KubeObject[] {
  const where = `${file}: document ${document.index}, line ${document.line}`;
  const items = listItems(document.value);
  if (!items) return [checked(document.value, where, shapes)];
  return items.map((item, i) => checked(item, `${where}: items[${i}]`, shapes));
}

/** The members of a List or of a plain array; undefined for a single object. */
function listItems(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isRecord(value) || typeof value.kind !== 'string' || !value.kind.endsWith('List')) return undefined;
  if (!Array.isArray(value.items)) return value.items === null || value.items === undefined ? [] : undefined;
  // A typed list, as the API answers it, leaves kind and apiVersion out of its items.
  const kind = value.kind === 'List' ? undefined : value.kind.slice(0, -'List'.length);
  return value.items.map((item) => (kind && isRecord(item) ? { apiVersion: value.apiVersion, kind, ...item } : item));
}

function checked(value: unknown, where: string, shapes: ObjectShapes): KubeObject {
  const fail = (expected: string): never => {
    throw new UserError(`${where}: not a Kubernetes object: expected ${expected}`, { code: 'KE1101' });
  };
  if (!isRecord(value)) return fail(`a mapping with apiVersion, kind and metadata, found ${describeValue(value)}`);
  if (typeof value.apiVersion !== 'string') return fail(`apiVersion, found ${describeValue(value.apiVersion)}`);
  if (typeof value.kind !== 'string') return fail(`kind, found ${describeValue(value.kind)}`);
  const metadata = value.metadata;
  if (!isRecord(metadata)) return fail(`metadata in this ${value.kind}, found ${describeValue(metadata)}`);
  if (typeof metadata.name !== 'string' || metadata.name === '') {
    return fail(`metadata.name in this ${value.kind}, found ${describeValue(metadata.name)}`);
  }
  for (const part of ['spec', 'status'] as const) {
    if (value[part] !== undefined && value[part] !== null && !isRecord(value[part])) {
      return fail(`${part} of ${value.kind} "${metadata.name}" to be a mapping, found ${describeValue(value[part])}`);
    }
  }
  const missing = missingPart(value);
  if (missing)
    fail(`${missing.path} of ${value.kind} "${metadata.name}" to be ${missing.expected}, found ${missing.found}`);
  const object = value as unknown as KubeObject;
  const problems = shapes.problems(object);
  if (problems.length > 0) {
    throw new UserError(`${where}: ${value.kind} "${metadata.name}" is malformed`, {
      code: 'KE1101',
      because: problems,
    });
  }
  return object;
}
