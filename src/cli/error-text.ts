/** The one place that turns what was thrown into words and an exit code. */
import { ApiError, ConnectionError } from '../kube/errors.ts';
import { EXIT } from './exit-codes.ts';
import { Interrupted } from './io.ts';
import type { Style } from './style.ts';
import { UserError } from './user-error.ts';

export interface RenderedError {
  /** Empty when there is nothing to say. */
  readonly text: string;
  readonly exitCode: number;
}

export interface ErrorContext {
  readonly style: Style;
  /** How the program is called: `kubectl karpenter` or `karpenter`. */
  readonly bin: string;
  readonly version: string;
}

/** Text always ends with a newline. Three kinds: the user can mend it, the API refused, a fault of this program. */
export function renderError(error: unknown, context: ErrorContext): RenderedError {
  if (error instanceof Interrupted) return { text: '', exitCode: error.exitCode };
  if (error instanceof UserError) return { text: userErrorText(error, context), exitCode: error.exitCode };
  if (error instanceof ApiError) return { text: apiErrorText(error, context), exitCode: EXIT.failed };
  if (error instanceof ConnectionError) {
    const message = scrub(error.message);
    const wrapped = new UserError(`the API server does not answer: ${message}`, {
      code: 'KE1202',
      because: causes(error).filter((cause) => cause !== message),
      hints: [
        `${context.bin} up --local, which starts a local cluster again with its state`,
        'kubectl config get-contexts',
      ],
    });
    return { text: userErrorText(wrapped, context), exitCode: EXIT.failed };
  }
  return { text: faultText(error, context), exitCode: EXIT.failed };
}

function userErrorText(error: UserError, { style, bin }: ErrorContext): string {
  const lines = [`${style.bad('error:')} ${scrub(error.message)}`];
  for (const because of error.because) lines.push(...labelled('because', scrub(because), style));
  for (const hint of error.hints) lines.push(...labelled('try', hint, style));
  lines.push(...labelled('code', `${error.code}  (${bin} help ${error.code})`, style));
  return `${lines.join('\n')}\n`;
}

function labelled(label: string, text: string, style: Style): string[] {
  const indent = ' '.repeat(11);
  return text.split('\n').map((line, i) => (i === 0 ? `  ${style.dim(label.padEnd(9))}${line}` : `${indent}${line}`));
}

function apiErrorText(error: ApiError, { style }: ErrorContext): string {
  const reason = error.reason || 'InternalError';
  const text = `${style.bad(`Error from server (${reason}):`)} ${scrub(error.message)}\n`;
  if (error.code !== 403) return text;
  const verb = /cannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?/.exec(error.message);
  if (!verb) return text;
  const group = verb[3] ? `.${verb[3]}` : '';
  return `${text}${labelled('missing', `the RBAC verb "${verb[1]}" on ${verb[2]}${group}`, style).join('\n')}\n`;
}

function faultText(error: unknown, { style, bin, version }: ErrorContext): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = [
    `${style.bad('error:')} this is a fault in ${bin}, not in what you did`,
    scrub(stack),
    ...causes(error).map((cause) => `  caused by ${cause}`),
    `  version  ${version}`,
    `  code     KE9001  (${bin} help KE9001)`,
  ];
  return `${lines.join('\n')}\n`;
}

function causes(error: unknown): string[] {
  const result: string[] = [];
  let cause = error instanceof Error ? error.cause : undefined;
  while (cause instanceof Error && result.length < 5) {
    if (cause.message) result.push(scrub(cause.message));
    cause = cause.cause;
  }
  return result;
}

/** Tokens and passwords never reach the terminal. */
function scrub(text: string): string {
  return text
    .replace(/(bearer\s+)[\w.~+/=-]{8,}/gi, '$1…')
    .replace(/(\b(?:token|password|client-key-data)["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, '$1…');
}
