import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { yamlProblem } from './yaml-problem.ts';

export interface KubeconfigCluster {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
}

export interface KubeconfigUser {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
  readonly exec?: { readonly command: string; readonly [field: string]: unknown };
  readonly 'auth-provider'?: unknown;
}

export interface KubeconfigContext {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** All files of a kubeconfig merged, paths made absolute. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  readonly currentContext?: string;
}

/** A kubeconfig that can't be read, or says nothing usable; `file` where one is to blame. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
  readonly file: string | undefined;

  constructor(message: string, file?: string, options?: ErrorOptions) {
    super(message, options);
    this.file = file;
  }
}

/** Where kubeconfigs are looked for; the caller knows flags, environment and home. */
export interface KubeconfigSources {
  /** `--kubeconfig`: only this file, and it must exist. */
  readonly explicit?: string;
  /** `$KUBECONFIG`: files separated by the platform's path separator; missing ones are skipped. */
  readonly env?: string;
  /** `~/.kube/config`. */
  readonly fallback: string;
}

/** The files kubectl would read, first wins, without regard to whether they exist. */
export function kubeconfigPaths(sources: KubeconfigSources, separator: ':' | ';' = ':'): readonly string[] {
  if (sources.explicit) return [sources.explicit];
  const listed = (sources.env ?? '').split(separator).filter((path) => path !== '');
  return listed.length > 0 ? [...new Set(listed)] : [sources.fallback];
}

/** Paths inside a kubeconfig are relative to the file they stand in. */
const PATH_FIELDS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'] as const;

function withAbsolutePaths(body: Record<string, unknown>, file: string): Record<string, unknown> {
  const result = { ...body };
  for (const field of PATH_FIELDS) {
    const value = result[field];
    if (typeof value === 'string' && value !== '') result[field] = resolve(dirname(file), value);
  }
  const exec = result.exec as { command?: unknown } | undefined;
  // A bare name is looked up in the path; anything with a slash is relative to the file.
  if (typeof exec?.command === 'string' && exec.command.includes('/')) {
    result.exec = { ...exec, command: resolve(dirname(file), exec.command) };
  }
  return result;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function mergeNamed(into: Map<string, unknown>, root: Record<string, unknown>, list: string, file: string): void {
  const entries = root[list] ?? [];
  if (!Array.isArray(entries)) throw new KubeconfigError(`${list} is not a list`, file);
  const field = list.slice(0, -1);
  for (const [index, entry] of entries.entries()) {
    if (!isRecord(entry) || typeof entry.name !== 'string') {
      throw new KubeconfigError(`${list}[${index}] has no name`, file);
    }
    if (into.has(entry.name)) continue;
    const body = entry[field] ?? {};
    if (!isRecord(body)) throw new KubeconfigError(`${list}[${index}].${field} is not a mapping`, file);
    into.set(entry.name, withAbsolutePaths(body, file));
  }
}

async function readIfPresent(file: string, required: boolean): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !required) return undefined;
    throw new KubeconfigError((error as Error).message, file, { cause: error });
  }
}

/**
 * Reads and merges kubeconfig files by kubectl's rules: the first file to set a name or the current context wins.
 *
 * @param required whether a missing file is an error.
 * @throws {KubeconfigError}
 */
export async function readKubeconfig(files: readonly string[], required = false): Promise<Kubeconfig> {
  const { parseDocument } = await import('yaml');
  const clusters = new Map<string, unknown>();
  const users = new Map<string, unknown>();
  const contexts = new Map<string, unknown>();
  let currentContext: string | undefined;
  for (const file of files) {
    const text = await readIfPresent(file, required);
    if (text === undefined || text.trim() === '') continue;
    const document = parseDocument(text);
    if (document.errors[0] !== undefined) throw new KubeconfigError(yamlProblem(document.errors[0].message), file);
    const root: unknown = document.toJS();
    if (root === null) continue;
    if (!isRecord(root)) throw new KubeconfigError('not a mapping', file);
    mergeNamed(clusters, root, 'clusters', file);
    mergeNamed(users, root, 'users', file);
    mergeNamed(contexts, root, 'contexts', file);
    if (typeof root['current-context'] === 'string') currentContext ||= root['current-context'];
  }
  return {
    clusters: clusters as Map<string, KubeconfigCluster>,
    users: users as Map<string, KubeconfigUser>,
    contexts: contexts as Map<string, KubeconfigContext>,
    ...(currentContext && { currentContext }),
  };
}
