import { badRequest, unsupportedMediaType } from '../api-refusals.ts';
import type { Json } from '../kind.ts';
import { goJsonError } from './go-json-error.ts';

/** Turns Kubernetes' protobuf envelope into the JSON that the same object has. Throws ApiError 400. */
export type ProtobufDecoder = (body: Uint8Array) => Promise<Json>;

const accepted = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

const mediaType = (contentType: string | undefined): string => (contentType ?? '').split(';')[0]?.trim() ?? '';

/** A write's body by its content type. Throws ApiError 400 for a broken one, 415 for a type nobody knows. */
export async function decodeRequestBody(
  body: Buffer,
  contentType: string | undefined,
  protobuf: ProtobufDecoder | undefined,
): Promise<Json> {
  switch (mediaType(contentType)) {
    case '':
    case 'application/json':
      return parseJson(body, "couldn't get version/kind; json parse error: ");
    case 'application/yaml':
      return parseYaml(body);
    case 'application/vnd.kubernetes.protobuf':
      if (protobuf) return protobuf(body);
      break;
    default:
  }
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );
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

/** Parses one YAML document into what JSON can hold. Throws ApiError 400. */
export async function parseYaml(body: Buffer): Promise<Json> {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text) as Json;
  } catch {
    const { parse } = await import('yaml');
    try {
      return parse(text, { version: '1.1', schema: 'yaml-1.1', merge: true }) as Json;
    } catch (error) {
      throw badRequest(`error parsing YAML: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    }
  }
}
