import { access, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CATALOGUE_NAMES, type CatalogueSource } from '../catalogue-names.ts';
import { contextName } from './context-name.ts';
import { stateRoot } from './state-folder.ts';

/** One of them at most is in the folder of a cluster. */
const TYPES_FILE = 'instance-types.json';
const NAME_FILE = 'catalogue';

/** The catalogue that a local cluster was started with, when the context is one's and it was told one. */
export async function catalogueOfContext(
  context: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CatalogueSource> {
  const prefix = contextName('');
  if (!context?.startsWith(prefix)) return {};
  const folder = join(stateRoot(env), context.slice(prefix.length));
  const name = await readFile(join(folder, NAME_FILE), 'utf8').catch(() => '');
  const catalog = CATALOGUE_NAMES.find((known) => known === name.trim());
  if (catalog) return { catalog };
  const file = join(folder, TYPES_FILE);
  return access(file).then(
    () => ({ 'instance-types': file }),
    () => ({}),
  );
}

/** Lets a local cluster, and whoever asks about it, go on with this catalogue; without one it stays as it is. */
export async function rememberCatalogue(stateDir: string, source: CatalogueSource): Promise<void> {
  const { catalog, 'instance-types': types } = source;
  const [nameFile, typesFile] = [join(stateDir, NAME_FILE), join(stateDir, TYPES_FILE)];
  if (catalog) {
    await rm(typesFile, { force: true });
    await writeFile(nameFile, `${catalog}\n`);
  } else if (types && types !== typesFile) {
    await rm(nameFile, { force: true });
    await copyFile(types, typesFile);
  }
}
