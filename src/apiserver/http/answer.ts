import type { ServerResponse } from 'node:http';
import type { Status } from '../../kube/client.ts';
import type { ApiError } from '../../kube/errors.ts';

/** One answer, before it is encoded. */
export interface Answer {
  readonly status: number;
  /** A string is sent as text; everything else in the negotiated encoding. */
  readonly body: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AnswerOptions {
  readonly encoding: 'json' | 'yaml';
  readonly pretty?: boolean;
  readonly warnings?: readonly string[];
  /** Answer to HEAD: headers only. */
  readonly headOnly?: boolean;
}

/** A warning as RFC 7234 writes it; upstream's code is 299. */
const warningHeader = (text: string): string => `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

export async function sendAnswer(response: ServerResponse, answer: Answer, options: AnswerOptions): Promise<void> {
  const { body, contentType, type } = await encode(answer, options);
  response.statusCode = answer.status;
  response.setHeader('Content-Type', contentType ?? type);
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (options.warnings?.length) response.setHeader('Warning', options.warnings.map(warningHeader));
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(options.headOnly ? undefined : body);
}

async function encode(
  { body, contentType }: Answer,
  { encoding, pretty }: AnswerOptions,
): Promise<{ readonly body: string | Uint8Array; readonly contentType?: string; readonly type: string }> {
  const own = contentType === undefined ? {} : { contentType };
  if (body instanceof Uint8Array) return { body, type: 'application/octet-stream', ...own };
  if (typeof body === 'string') return { body, type: 'text/plain; charset=utf-8', ...own };
  if (encoding === 'yaml') {
    const { stringify } = await import('yaml');
    const text = stringify(body, {
      sortMapEntries: true,
      indentSeq: false,
      singleQuote: true,
      version: '1.1',
      lineWidth: 80,
    });
    return { body: text, type: 'application/yaml', ...own };
  }
  return { body: `${JSON.stringify(body, undefined, pretty ? 2 : undefined)}\n`, type: 'application/json', ...own };
}

/** A refusal as an answer, with Retry-After where the status has one. */
export function refusalAnswer(error: ApiError): Answer {
  const status: Status = error.status;
  const retry = status.details?.retryAfterSeconds;
  return { status: error.code, body: status, ...(retry ? { headers: { 'Retry-After': String(retry) } } : {}) };
}
