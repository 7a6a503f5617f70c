import { createHash } from 'node:crypto';
import type { JsonObject } from '../kind.ts';
import { type DocumentContext, openApiV2, openApiV3 } from './documents.ts';
import { type OpenApiResource, rootPathOf } from './open-api-resource.ts';
import { encodeSwagger } from './swagger-protobuf.ts';

/** A document as it is sent: JSON, and a hash that serves as ETag and as the `hash` parameter. */
export interface PublishedDocument {
  readonly body: string;
  /** SHA-512 in upper-case hexadecimal. */
  readonly hash: string;
}

interface Made {
  /** What it was made of, as JSON. */
  readonly of: string;
  readonly document: PublishedDocument;
}

/**
 * The OpenAPI documents of a set of resources, each built at its first use. Make a new one when the resources change, out
 * of the old one: it keeps the documents that are still right.
 */
export class OpenApiPublication {
  readonly #context: DocumentContext;
  readonly #byPath = new Map<string, OpenApiResource[]>();
  readonly #resources: readonly OpenApiResource[];
  #protobuf: Buffer | undefined;
  readonly #documents: Map<string, Made>;

  constructor(resources: readonly OpenApiResource[], context: DocumentContext, previous?: OpenApiPublication) {
    this.#documents = new Map(previous === undefined ? [] : previous.#documents);
    this.#context = context;
    this.#resources = resources;
    for (const resource of resources) {
      const path = rootPathOf(resource);
      const known = this.#byPath.get(path);
      if (known === undefined) this.#byPath.set(path, [resource]);
      else known.push(resource);
    }
  }

  /** What GET /openapi/v3 answers: where each group version's document is. */
  index(): JsonObject {
    const paths = [...this.#byPath.keys()].sort();
    const entries = paths.map((path): [string, JsonObject] => [
      path,
      { serverRelativeURL: `/openapi/v3/${path}?hash=${this.v3(path)?.hash ?? ''}` },
    ]);
    return { paths: Object.fromEntries(entries) };
  }

  /** The document at /openapi/v3/PATH, PATH being `api/v1` or `apis/GROUP/VERSION`; undefined if there is none. */
  v3(path: string): PublishedDocument | undefined {
    const resources = this.#byPath.get(path);
    return resources && this.#published(path, resources, openApiV3);
  }

  /** The document at /openapi/v2. */
  v2(): PublishedDocument {
    return this.#published('v2', this.#resources, openApiV2);
  }

  /** The same as protobuf. */
  v2Protobuf(): Buffer {
    this.#protobuf ??= encodeSwagger(openApiV2(this.#resources, this.#context));
    return this.#protobuf;
  }

  #published(
    key: string,
    resources: readonly OpenApiResource[],
    make: (resources: readonly OpenApiResource[], context: DocumentContext) => JsonObject,
  ): PublishedDocument {
    const of = JSON.stringify(resources);
    const known = this.#documents.get(key);
    if (known?.of === of) return known.document;
    const body = JSON.stringify(make(resources, this.#context));
    const document = { body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() };
    this.#documents.set(key, { of, document });
    return document;
  }
}
