import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '../../kube/objects.ts';
import { UserError } from '../user-error.ts';
import { describeValue, isRecord, missingPart } from './missing-part.ts';
import type { ObjectShapes } from './object-shapes.ts';
import { type InputDocument, readDocuments } from './read-documents.ts';
import { readText, unreadable } from './read-text.ts';

const EXTENSION = /\.(ya?ml|json)$/;
const STDIN = '-';
/** Kinds with rules that people write by hand; claims are the controller's, and there are many. */
const WRITTEN_KINDS: ReadonlySet<string> = new Set(['NodePool', 'NodeOverlay', 'CapacityBuffer']);

export interface ReadObjectsDeps {
  readonly readStdin: () => Promise<string>;
  /** Objects that are yet to be applied: the caller asks what the API will say of them. */
  readonly edits?: boolean;
}

/** An object, and where it was read for messages. */
interface Located {
  readonly object: KubeObject;
  readonly where: string;
}

/**
 * Every Kubernetes object of files, folders (walked, in order of name) and `-`: several documents, Lists and JSON
 * arrays are flattened. Throws a UserError naming file, document and line for what is no object, and for a hand-written
 * one of Karpenter's that breaks a rule of its kind. What an API has stored it has checked, perhaps by other rules.
 */
export async function readObjects(paths: readonly string[], deps: ReadObjectsDeps): Promise<readonly KubeObject[]> {
  const { ObjectShapes } = await import('./object-shapes.ts');
  const shapes = new ObjectShapes();
  const located: Located[] = [];
  for (const path of paths) {
    for (const file of path === STDIN ? [STDIN] : await filesUnder(path)) {
      const name = file === STDIN ? 'standard input' : file;
      const text = file === STDIN ? await readStandardInput(deps, name) : await readText(file);
      for (const document of await readDocuments(text, name)) located.push(...objectsOf(document, name, shapes));
    }
  }
  const written = located.filter(
    ({ object }) => object.metadata.uid === undefined && WRITTEN_KINDS.has(object.kind ?? ''),
  );
  if (written.length > 0 && !deps.edits) await checkRules(written);
  return located.map(({ object }) => object);
}

async function checkRules(written: readonly Located[]): Promise<void> {
  const { ObjectRules } = await import('./object-rules.ts');
  const rules = new ObjectRules();
  for (const { object, where } of written) refuse(object, where, await rules.brokenRules(object));
}

function refuse({ kind, metadata }: KubeObject, where: string, because: readonly string[]): void {
  if (because.length === 0) return;
  throw new UserError(`${where}: ${kind} "${metadata.name}" is invalid`, { code: 'KE1101', because });
}

async function filesUnder(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files: Dirent[] = [];
    for (const entry of entries) if (EXTENSION.test(entry.name) && (await isFile(entry))) files.push(entry);
    if (files.length === 0) {
      throw new UserError(`${path}: no .yaml, .yml or .json file in this folder`, { code: 'KE1103' });
    }
    return files.map((entry) => join(entry.parentPath, entry.name)).sort();
  } catch (error) {
    throw error instanceof UserError ? error : unreadable(path, error);
  }
}

/** A file, also through a symbolic link, as mounted ConfigMaps have them; links to folders are not followed. */
async function isFile(entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  const path = join(entry.parentPath, entry.name);
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function readStandardInput({ readStdin }: ReadObjectsDeps, name: string): Promise<string> {
  try {
    return await readStdin();
  } catch (error) {
    throw unreadable(name, error);
  }
}

function objectsOf(document: InputDocument, file: string, shapes: ObjectShapes): Located[] {
  const where = `${file}: document ${document.index}, line ${document.line}`;
  const locate = (value: unknown, at: string): Located => ({ object: checked(value, at, shapes), where: at });
  const items = listItems(document.value);
  if (!items) return [locate(document.value, where)];
  return items.map((item, i) => locate(item, `${where}: items[${i}]`));
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
  const { object, problems } = shapes.read(value as unknown as KubeObject);
  refuse(object, where, problems);
  return object;
}
