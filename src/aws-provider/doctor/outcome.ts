import { errorCode, httpStatusOf } from '../aws-api/error-code.ts';
import { isAwsNotFound, isDryRunSuccess } from '../aws-api/error-kinds.ts';
import { type DeniedCall, deniedCall } from '../aws-api/permissions.ts';

/** What is known of the permission to do one thing. */
export type Outcome = { readonly action: string } & (
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly denied: DeniedCall }
  /** It was tried, and the answer does not tell. */
  | { readonly kind: 'untold'; readonly why: string }
  | { readonly kind: 'untried'; readonly why: string }
);

export const allowed = (action: string): Outcome => ({ action, kind: 'allowed' });
export const untried = (action: string, why: string): Outcome => ({ action, kind: 'untried', why });

/** The code of a refusal that came after the permissions had been looked at. */
const PAST_PERMISSIONS: ReadonlySet<string | undefined> = new Set([
  'ReceiptHandleIsInvalid',
  'ResourceNotFoundException',
  'ParameterVersionNotFound',
]);

/**
 * Tries an action.
 *
 * @param ask a dry run, or a read as small as there is.
 */
export async function tryAction(action: string, ask: () => Promise<unknown>): Promise<Outcome> {
  try {
    await ask();
    return allowed(action);
  } catch (error) {
    return outcomeOf(action, error);
  }
}

/** What an error says about the permission. AWS may name another action than the one that was asked for. */
export function outcomeOf(action: string, error: unknown): Outcome {
  if (isDryRunSuccess(error) || isAwsNotFound(error) || PAST_PERMISSIONS.has(errorCode(error))) return allowed(action);
  const denied = deniedCall(error, action);
  if (denied) return { action: denied.action, kind: 'denied', denied };
  return { action, kind: 'untold', why: errorSummary(error) };
}

/** The innermost error in one line, which is AWS's own if it has answered: code and message, no numbers of requests. */
export function errorSummary(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  let inner = error;
  while (inner.cause instanceof Error) inner = inner.cause;
  const { name, message } = inner;
  const isAnswer = httpStatusOf(error) !== undefined && errorCode(error) === name;
  return isAnswer && name !== message ? `${name}: ${message}` : message || name;
}
