import { readFile } from 'node:fs/promises';
import { UserError } from '../user-error.ts';

/** The text of a file. Throws a UserError when it can't be read, or is no text in UTF-8. */
export async function readText(file: string): Promise<string> {
  try {
    return asText(await readFile(file));
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Throws a TypeError for what is not UTF-8. */
export function asText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'is a folder',
  ELOOP: 'symbolic links that lead in a circle',
  ERR_STRING_TOO_LONG: 'too large to be read at once',
  ERR_FS_FILE_TOO_LARGE: 'too large to be read at once',
};

/** What came of reading `name`, in words. */
export function unreadable(name: string, error: unknown): UserError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const shown = name === '' ? '""' : name;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new UserError(`${shown}: not a text file in UTF-8`, { code: 'KE1101', cause: error });
  }
  return new UserError(`${shown}: ${REASONS[code] ?? message}`, { code: 'KE1102', cause: error });
}
