import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Executable files of that name in the folders of PATH, in their order; each once, however often its folder is named. */
export async function programsOnPath(name: string, path: string | undefined): Promise<readonly string[]> {
  const folders = [...new Set((path ?? '').split(delimiter).filter(Boolean))];
  const found = await Promise.all(folders.map((folder) => executable(join(folder, name))));
  return found.filter((file) => file !== undefined);
}

async function executable(file: string): Promise<string | undefined> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Whether two paths are one file, through symbolic links. */
export async function isSameFile(a: string, b: string): Promise<boolean> {
  try {
    return (await realpath(a)) === (await realpath(b));
  } catch {
    return false;
  }
}
