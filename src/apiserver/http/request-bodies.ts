import type { IncomingMessage } from 'node:http';
import { badRequest, refusal, unsupportedMediaType } from '../api-refusals.ts';
import { asString, isObject } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import type { PatchBody } from '../registry/patch-object.ts';
import type { ResourceRequest } from '../registry/request.ts';
import { apiVersionOf, type ResourceDefinition } from '../registry/resource-definition.ts';
import {
  type DecodedBody,
  decodeRequestBody,
  type ExpectedKind,
  type ProtobufReader,
  parseJson,
  parseYaml,
} from './body-decoder.ts';
import { truth } from './list-query.ts';
import { readBody } from './read-body.ts';
import { wholeFloats } from './whole-floats.ts';

interface SizedBody extends DecodedBody {
  /** In bytes, as it came. */
  readonly size: number;
}

/** Reads the bodies of requests to resources. */
export class RequestBodies {
  readonly #protobuf: () => Promise<ProtobufReader>;

  /** `protobuf` is called when the first body of that kind comes. */
  constructor({ protobuf }: { readonly protobuf: () => Promise<ProtobufReader> }) {
    this.#protobuf = protobuf;
  }

  /** What a create or update sends. Throws ApiError 400, 413 or 415. */
  async object(request: IncomingMessage, { resource, subresource }: ResourceRequest): Promise<SizedBody> {
    const expected = expectedKind(resource, subresource);
    const body = await readBody(request);
    const decoded = await decodeRequestBody(body, request.headers['content-type'], expected, this.#protobuf);
    return { ...decoded, size: body.length };
  }

  /** What a delete sends, if anything. Throws ApiError 400. */
  async deleteOptions(request: IncomingMessage): Promise<JsonObject | undefined> {
    const body = await readBody(request);
    if (body.length === 0) return undefined;
    const expected = { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions' };
    const { 'content-type': type } = request.headers;
    const plain = type === undefined || type.startsWith('application/json');
    const value = plain
      ? parseJson(body, "couldn't get version/kind; json parse error: ")
      : (await decodeRequestBody(body, type, expected, this.#protobuf)).value;
    if (!isObject(value)) return undefined;
    const kind = asString(value.kind) || expected.kind;
    if (kind === expected.kind) return value;
    throw badRequest(
      `no kind "${kind}" is registered for version "${asString(value.apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }

  /** A patch by its content type. Throws ApiError 400, or 415 for a type the resource doesn't take. */
  async patch(request: IncomingMessage, query: URLSearchParams, resource: ResourceDefinition): Promise<PatchBody> {
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim();
    const types = [
      'application/json-patch+json',
      'application/merge-patch+json',
      ...(resource.crd ? [] : ['application/strategic-merge-patch+json']),
      'application/apply-patch+yaml',
    ];
    if (!types.some((known) => known === type)) {
      throw type === 'application/strategic-merge-patch+json'
        ? unsupportedMediaType(
            `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`,
          )
        : refusal(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
    }
    const body = await readBody(request);
    switch (type) {
      case 'application/json-patch+json':
        return { type: 'json', body: parseJson(body, 'error decoding patch: ') };
      case 'application/merge-patch+json':
        return { type: 'merge', body: parseJson(body, 'error decoding patch: '), ...floatsIn(body) };
      case 'application/strategic-merge-patch+json':
        return { type: 'strategic', body: parseJson(body, '') };
      default:
        return {
          type: 'apply',
          body: (await parseYaml(body, applyRefusal)).value,
          force: truth(query, 'force') ?? false,
        };
    }
  }
}

function floatsIn(body: Buffer): { readonly floats?: ReadonlyMap<string, number> } {
  const floats = wholeFloats(body.toString('utf8'));
  return floats ? { floats } : {};
}

const applyRefusal = (why: string) => badRequest(`error decoding YAML: error converting YAML to JSON: ${why}`);

function expectedKind(resource: ResourceDefinition, subresource: string): ExpectedKind {
  const { kind, ...version } = resource.subresources[subresource]?.kind ?? resource;
  return { apiVersion: apiVersionOf(version), kind };
}
