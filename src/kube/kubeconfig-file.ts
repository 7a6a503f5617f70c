import { mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Document, YAMLMap, YAMLSeq } from 'yaml';
import type { Clock } from './clock.ts';
import { withFileLock } from './file-lock.ts';
import { type KubeconfigCluster, KubeconfigError, type KubeconfigUser } from './kubeconfig.ts';
import { yamlProblem } from './yaml-problem.ts';

/** A context to add, with a cluster and a user of its own under the same name. */
export interface ContextEntry {
  readonly name: string;
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
  readonly namespace?: string;
}

const LISTS = ['clusters', 'users', 'contexts'] as const;
type List = (typeof LISTS)[number];

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new KubeconfigError((error as Error).message, file, { cause: error });
  }
}

async function parse(file: string): Promise<Document> {
  const { Document, isMap, isSeq, parseDocument } = await import('yaml');
  const text = await readText(file);
  const document = text === undefined ? new Document() : parseDocument(text);
  if (document.errors[0] !== undefined) throw new KubeconfigError(yamlProblem(document.errors[0].message), file);
  if (document.contents === null) {
    document.contents = document.createNode({ apiVersion: 'v1', kind: 'Config' });
  }
  if (!isMap(document.contents)) throw new KubeconfigError('not a mapping', file);
  for (const list of LISTS) {
    const node = document.get(list);
    if (node === undefined || node === null) continue;
    if (!isSeq(node)) throw new KubeconfigError(`${list} is not a list`, file);
  }
  return document;
}

const nameOf = (entry: unknown): unknown => (entry as YAMLMap | null)?.get?.('name');

function put(document: Document, list: List, name: string, field: string, body: object): void {
  const entry = document.createNode({ name, [field]: body });
  const known = document.get(list) as YAMLSeq | null | undefined;
  if (!known) {
    document.set(list, document.createNode([entry]));
    return;
  }
  const index = known.items.findIndex((item) => nameOf(item) === name);
  if (index === -1) known.add(entry);
  else known.items[index] = entry;
  known.flow = false;
}

/** Replaces the file in one step, keeping its mode; a link keeps pointing where it did. */
async function replace(file: string, document: Document): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const mode = await stat(target).then(
    (stats) => stats.mode & 0o777,
    () => 0o600,
  );
  const temporary = `${target}.tmp`;
  await writeFile(temporary, document.toString(), { mode });
  await rename(temporary, target);
}

async function change(file: string, clock: Clock, edit: (document: Document) => boolean): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o750 });
  await withFileLock(file, clock, async () => {
    const document = await parse(file);
    if (edit(document)) await replace(file, document);
  });
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Of several files kubectl would read, the one it would write a new entry to: the first that exists, or the last. */
async function writableKubeconfig(files: readonly string[]): Promise<string> {
  for (const file of files) if (await exists(file)) return file;
  const last = files.at(-1);
  if (last === undefined) throw new RangeError('no kubeconfig file to write to');
  return last;
}

async function currentContextOf(file: string): Promise<string | undefined> {
  const value = (await parse(file)).get('current-context');
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The first file that sets the current context, since that one wins. */
async function fileOfCurrentContext(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if ((await exists(file)) && (await currentContextOf(file)) !== undefined) return file;
  return undefined;
}

/**
 * Adds or replaces a context with its cluster and user. Everything else in the file stays as it is, comments included.
 *
 * @param files what kubectl would read, see `kubeconfigPaths`.
 * @param options.select make it the current context.
 * @returns the file that was written, and the current context before, if another one was.
 * @throws {KubeconfigError} where a file is malformed; nothing is changed then.
 */
export async function writeContext(
  files: readonly string[],
  entry: ContextEntry,
  options: { readonly select: boolean; readonly clock: Clock },
): Promise<{ readonly file: string; readonly previousContext?: string }> {
  const file = await writableKubeconfig(files);
  const currentFile = await fileOfCurrentContext(files);
  const previous = currentFile === undefined ? undefined : await currentContextOf(currentFile);
  const { name, cluster, user, namespace } = entry;
  await change(file, options.clock, (document) => {
    put(document, 'clusters', name, 'cluster', cluster);
    put(document, 'users', name, 'user', user);
    put(document, 'contexts', name, 'context', { cluster: name, user: name, ...(namespace && { namespace }) });
    return true;
  });
  if (options.select) await selectContext(currentFile ?? file, name, options.clock);
  return { file, ...(previous !== undefined && previous !== name && { previousContext: previous }) };
}

async function selectContext(file: string, name: string, clock: Clock): Promise<void> {
  await change(file, clock, (document) => {
    document.set('current-context', name);
    return true;
  });
}

/**
 * Takes a context, and the cluster and user of the same name, out of every file. Where it was the current context,
 * `fallbackContext` becomes current if it still exists somewhere, otherwise none is.
 *
 * @returns the files that were changed.
 * @throws {KubeconfigError}
 */
export async function removeContext(
  files: readonly string[],
  name: string,
  options: { readonly fallbackContext?: string; readonly clock: Clock },
): Promise<readonly string[]> {
  const present: string[] = [];
  for (const file of files) if (await exists(file)) present.push(file);
  const contexts = new Set<unknown>();
  for (const file of present) {
    const list = (await parse(file)).get('contexts') as YAMLSeq | null | undefined;
    for (const item of list?.items ?? []) contexts.add(nameOf(item));
  }
  const { fallbackContext, clock } = options;
  const successor = fallbackContext !== undefined && contexts.has(fallbackContext) ? fallbackContext : '';
  const changed: string[] = [];
  for (const file of present) {
    await change(file, clock, (document) => {
      let touched = false;
      for (const list of LISTS) touched = take(document, list, name) || touched;
      if (document.get('current-context') === name) {
        document.set('current-context', successor);
        touched = true;
      }
      if (touched) changed.push(file);
      return touched;
    });
  }
  return changed;
}

function take(document: Document, list: List, name: string): boolean {
  const known = document.get(list) as YAMLSeq | null | undefined;
  const index = known?.items.findIndex((item) => nameOf(item) === name) ?? -1;
  if (index === -1) return false;
  known?.items.splice(index, 1);
  return true;
}
