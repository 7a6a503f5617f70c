import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { contextName } from './context-name.ts';
import { stateRoot } from './state-folder.ts';

const CATALOGUE_FILE = 'instance-types.json';

/** The catalogue that a local cluster was started with, when the context is one's and it has its own. */
export async function instanceTypesOfContext(
  context: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const prefix = contextName('');
  if (!context?.startsWith(prefix)) return undefined;
  const file = join(stateRoot(env), context.slice(prefix.length), CATALOGUE_FILE);
  return access(file).then(
    () => file,
    () => undefined,
  );
}

/** Where a local cluster keeps the catalogue that it was started with. */
export const catalogueFile = (stateDir: string): string => join(stateDir, CATALOGUE_FILE);
