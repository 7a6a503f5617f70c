import { UserError } from './user-error.ts';

/**
 * What to do about a port that Node could not listen on; undefined for any other error.
 *
 * @param ports the value of each port flag, by its name without dashes.
 */
export function portError(error: Error, ports: Readonly<Record<string, number>>): UserError | undefined {
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  const isBusy = code === 'EADDRINUSE';
  if (!isBusy && code !== 'EACCES' && code !== 'ERR_SOCKET_BAD_PORT') return undefined;
  const [flag, value] = Object.entries(ports).find(([, p]) => p === port || p < 0 || p > 65_535) ?? [];
  if (flag === undefined) return new UserError(error.message, { code: 'KE1402', cause: error });
  const message = isBusy
    ? `port ${value} of --${flag} is in use by another program`
    : code === 'EACCES'
      ? `port ${value} of --${flag} may not be opened by this user`
      : `--${flag} ${value} is no port: it has to be from 0 to 65535`;
  return new UserError(message, {
    code: 'KE1402',
    hints: [`--${flag} N, or ${flag.toUpperCase().replaceAll('-', '_')} in the environment; 0 for none`],
    cause: error,
  });
}
