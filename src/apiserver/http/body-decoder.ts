import type { ApiError } from '../../kube/errors.ts';
import { badRequest, unsupportedMediaType } from '../api-refusals.ts';
import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { ProtobufError } from '../protobuf/protobuf-error.ts';
import type { BodyFaults } from '../registry/request.ts';
import { mayRepeatKeys, strictErrors } from '../types/index.ts';
import { goJsonError } from './go-json-error.ts';
import { wholeFloats } from './whole-floats.ts';

/** Reads Kubernetes' protobuf envelopes: protobuf/decode-protobuf.ts. */
export interface ProtobufReader {
  decode(body: Uint8Array, fallback: ExpectedKind): JsonObject;
}

/** The kind that a body is expected to have. */
export interface ExpectedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

const accepted = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

const mediaType = (contentType: string | undefined): string => (contentType ?? '').split(';')[0]?.trim() ?? '';

/** A body, and what its text tells beyond its value. */
export interface DecodedBody {
  readonly value: Json;
  readonly faults?: (unknown: readonly string[]) => BodyFaults;
  readonly floats?: ReadonlyMap<string, number>;
}

/** A write's body by its content type. Throws ApiError 400 for a broken one, 415 for a type nobody knows. */
export async function decodeRequestBody(
  body: Buffer,
  contentType: string | undefined,
  expected: ExpectedKind,
  protobuf: () => Promise<ProtobufReader>,
): Promise<DecodedBody> {
  switch (mediaType(contentType)) {
    case '':
    case 'application/json':
      return parseObject(body, expected);
    case 'application/yaml':
      return parseYaml(body, (why) => unrecognized(body, expected, why));
    case 'application/vnd.kubernetes.protobuf':
      return { value: readProtobuf(body, expected, await protobuf()) };
    default:
  }
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );
}

/** What a body begins with, as messages about it show. */
function beginning(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const shown = body[0] === 0x7b ? body.subarray(0, 30).toString('utf8') : body.subarray(0, 30).toString('hex');
  return body.length > 30 ? `${shown} ...` : shown;
}

const unrecognized = (body: Buffer, { kind }: ExpectedKind, why: string) =>
  badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${beginning(body)})`);

const typeMeta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

function parseObject(body: Buffer, expected: ExpectedKind): DecodedBody {
  const text = body.toString('utf8');
  const prefix = "couldn't get version/kind; json parse error: ";
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw unrecognized(body, expected, prefix + goJsonError(text));
  }
  if (value === null) return { value: {} };
  if (isObject(value)) return jsonBody(text, value);
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw unrecognized(body, expected, `${prefix}json: cannot unmarshal ${found} into Go value of type ${typeMeta}`);
}

function jsonBody(text: string, value: Json): DecodedBody {
  const found = wholeFloats(text);
  const floats = found ? { floats: found } : {};
  if (!mayRepeatKeys(text, value)) return { value, ...floats };
  const faults = (unknown: readonly string[]): BodyFaults => {
    const errors = strictErrors(text, unknown);
    return { lenient: errors, strict: errors };
  };
  return { value, faults, ...floats };
}

function readProtobuf(body: Buffer, expected: ExpectedKind, reader: ProtobufReader): JsonObject {
  try {
    return reader.decode(body, expected);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    const { type, message } = error;
    if (type) {
      const version = type.apiVersion.split('/').at(-1);
      throw badRequest(`${type.kind} in version "${version}" cannot be handled as a ${expected.kind}: ${message}`);
    }
    throw unrecognized(body, expected, message);
  }
}

/** Parses JSON; the refusal is Go's text after `prefix`. Throws ApiError 400. */
export function parseJson(body: Buffer, prefix: string): Json {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw badRequest(prefix + goJsonError(text));
  }
}

/** Parses one YAML document into what JSON can hold. Throws what `refuse` makes of go-yaml's complaint. */
export async function parseYaml(body: Buffer, refuse: (why: string) => ApiError): Promise<DecodedBody> {
  const text = body.toString('utf8');
  try {
    return jsonBody(text, JSON.parse(text) as Json);
  } catch {
    const [{ LineCounter, parseDocument }, { yamlComplaint }] = await Promise.all([
      import('yaml'),
      import('../yaml/yaml-complaint.ts'),
    ]);
    if (isTooDeep(text)) throw refuse(`yaml: exceeded max depth of ${MAX_DEPTH}`);
    const complaint = yamlComplaint(text);
    if (complaint !== undefined) throw refuse(`yaml: ${complaint}`);
    const lineCounter = new LineCounter();
    const document = parseDocument(text, { version: '1.1', schema: 'yaml-1.1', merge: true, lineCounter });
    const broken = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
    if (broken !== undefined) throw refuse(`yaml: ${yamlProblem(broken)}`);
    const repeated = document.errors.map(({ pos: [start] }) => {
      const [, quoted, plain = ''] = /^(?:["']([^"']*)|([^\s:]*))/.exec(text.slice(start)) ?? [];
      return `line ${lineCounter.linePos(start).line}: key ${JSON.stringify(quoted ?? plain)} already set in map`;
    });
    const value = document.toJS() as Json;
    if (repeated.length === 0) return { value };
    const refusal = `yaml: unmarshal errors:\n${repeated.map((line) => `  ${line}`).join('\n')}`;
    const faults = (unknown: readonly string[]) => ({
      lenient: [...repeated, ...unknown],
      strict: [refusal, ...unknown],
    });
    return { value, faults };
  }
}

/** Go's YAML parser gives up here; ours would take minutes. */
const MAX_DEPTH = 10_000;

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** A YAML parser's complaint with its line, in one line. */
function yamlProblem(error: unknown): string {
  const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  const line = /at line (\d+)/.exec(message)?.[1];
  const why = message.replace(/ at line \d+, column \d+:?$/, '');
  return line ? `line ${line}: ${why}` : why;
}
