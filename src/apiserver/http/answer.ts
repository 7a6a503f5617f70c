import type { ServerResponse } from 'node:http';
import type { Status } from '../../kube/client.ts';
import type { ApiError } from '../../kube/errors.ts';
import type { JsonObject } from '../kind.ts';
import { ListBody } from './list-body.ts';

/** Writes Kubernetes' protobuf envelopes: protobuf/encode-protobuf.ts. */
export interface ProtobufWriter {
  /** Undefined for what has no protobuf form. */
  encode(object: JsonObject): Uint8Array | undefined;
  encodeList(list: JsonObject, items: readonly JsonObject[]): Uint8Array | undefined;
  encodeEvent(type: string, object: JsonObject): Uint8Array;
}

export const protobufType = 'application/vnd.kubernetes.protobuf';

/** One answer, before it is encoded. */
export interface Answer {
  readonly status: number;
  /** A string is sent as text; everything else in the negotiated encoding. */
  readonly body: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AnswerOptions {
  readonly encoding: 'json' | 'yaml' | 'protobuf';
  readonly protobuf: () => Promise<ProtobufWriter>;
  readonly pretty?: boolean;
  readonly warnings?: readonly string[];
  /** Answer to HEAD: headers only. */
  readonly headOnly?: boolean;
}

/** A warning as RFC 7234 writes it; upstream's code is 299. */
const warningHeader = (text: string): string => `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

export async function sendAnswer(response: ServerResponse, answer: Answer, options: AnswerOptions): Promise<void> {
  if (answer.body instanceof ListBody && options.encoding === 'json' && !options.pretty && !options.headOnly) {
    setHeaders(response, answer, 'application/json', options);
    return sendPieces(response, answer.body);
  }
  const { body, contentType, type } = await encode(answer, options);
  setHeaders(response, answer, contentType ?? type, options);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(options.headOnly ? undefined : body);
}

function setHeaders(response: ServerResponse, answer: Answer, type: string, { warnings }: AnswerOptions): void {
  response.statusCode = answer.status;
  response.setHeader('Content-Type', type);
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (warnings?.length) response.setHeader('Warning', warnings.map(warningHeader));
}

/** Writes a list piece by piece, and lets others have their turn whenever the client has enough to read. */
async function sendPieces(response: ServerResponse, list: ListBody): Promise<void> {
  for (const piece of list.pieces()) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

/** Resolves when the client has read on, or is gone. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });

async function encode(
  { body, contentType }: Answer,
  { encoding, pretty, protobuf }: AnswerOptions,
): Promise<{ readonly body: string | Uint8Array; readonly contentType?: string; readonly type: string }> {
  const own = contentType === undefined ? {} : { contentType };
  if (body instanceof Uint8Array) return { body, type: 'application/octet-stream', ...own };
  if (typeof body === 'string') return { body, type: 'text/plain; charset=utf-8', ...own };
  if (encoding === 'protobuf' && typeof body === 'object' && body !== null) {
    const writer = await protobuf();
    const bytes =
      body instanceof ListBody ? writer.encodeList(body.head, body.items) : writer.encode(body as JsonObject);
    if (bytes !== undefined) return { body: bytes, type: protobufType, ...own };
    return { body: jsonText(body, pretty), type: 'application/json' };
  }
  if (encoding === 'yaml') {
    const { writeYaml } = await import('../yaml/write-yaml.ts');
    const whole = body instanceof ListBody ? body.toJSON() : (body as JsonObject);
    return { body: writeYaml(whole), type: 'application/yaml', ...own };
  }
  return { body: jsonText(body, pretty), type: 'application/json', ...own };
}

const jsonText = (body: unknown, pretty: boolean | undefined): string =>
  `${JSON.stringify(body, undefined, pretty ? 2 : undefined)}\n`;

/** A refusal as an answer, with Retry-After where the status has one. */
export function refusalAnswer(error: ApiError): Answer {
  const status: Status = error.status;
  const retry = status.details?.retryAfterSeconds;
  return { status: error.code, body: status, ...(retry ? { headers: { 'Retry-After': String(retry) } } : {}) };
}
