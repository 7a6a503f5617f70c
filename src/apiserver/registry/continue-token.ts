import { badRequest } from '../api-refusals.ts';

export interface ContinueToken {
  /** The revision that the first page was read at. */
  readonly revision: number;
  /** The last key that has been given out. */
  readonly after: string;
}

export const encodeContinue = ({ revision, after }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })).toString('base64url');

/** Throws ApiError 400 for what isn't a token. */
export function decodeContinue(text: string): ContinueToken {
  try {
    const { rv, start } = JSON.parse(Buffer.from(text, 'base64url').toString()) as { rv: unknown; start: unknown };
    if (typeof rv === 'number' && typeof start === 'string') return { revision: rv, after: start };
  } catch {
    // Refused below, like any other text.
  }
  throw badRequest('continue key is not valid: encoded continue key is not valid');
}
