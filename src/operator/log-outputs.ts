import { openSync, writeSync } from 'node:fs';
import { OptionError } from './option-error.ts';

export interface Streams {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/**
 * A destination that writes each line to all paths: `stdout`, `stderr`, and files, which are appended to. What can't be
 * written is told to the error paths.
 *
 * @throws {OptionError} for a file that can't be opened.
 */
export function logOutputs(
  paths: readonly string[],
  errorPaths: readonly string[],
  streams: Streams,
): { write(line: string): void } {
  const writers = paths.map((path) => writerOf(path, streams));
  const errors = errorPaths.map((path) => writerOf(path, streams));
  return {
    write(line) {
      for (const write of writers) {
        try {
          write(line);
        } catch (error) {
          for (const tell of errors) tell(`write error: ${(error as Error).message}\n`);
        }
      }
    },
  };
}

function writerOf(path: string, { stdout, stderr }: Streams): (text: string) => void {
  if (path === 'stdout') return stdout;
  if (path === 'stderr') return stderr;
  const file = path.replace(/^file:\/\//, '');
  try {
    const descriptor = openSync(file, 'a');
    return (text) => void writeSync(descriptor, text);
  } catch (error) {
    throw new OptionError(`open sink ${JSON.stringify(path)}: ${(error as Error).message}`, { cause: error });
  }
}
