import { PortBusyError, StateError } from '../../runtimes/types.ts';
import { UserError } from '../user-error.ts';
import type { StateFolder } from './state-folder.ts';

/** Why a cluster could not be started, for the user; faults pass through. */
export function startError(error: unknown, folder: StateFolder): unknown {
  if (error instanceof PortBusyError) {
    return new UserError(`port ${error.port} is in use by another program`, {
      code: 'KE1402',
      hints: ['leave --port out, to have a free one chosen'],
      cause: error,
    });
  }
  const { code, syscall, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (syscall === 'listen') {
    return new UserError(`port ${port} can't be used: ${code}`, {
      code: 'KE1402',
      hints: ['leave --port out, to have a free one chosen'],
      cause: error,
    });
  }
  if (error instanceof StateError) {
    return new UserError(`the state of cluster "${folder.name}" can't be used`, {
      code: 'KE1403',
      because: [error.message],
      hints: [`kubectl karpenter down --name ${folder.name}, to remove it and start afresh`],
      cause: error,
    });
  }
  return error;
}
