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

/** The OpenAPI documents of a set of resources, each built at its first use. Make a new one when the resources change. */
export class OpenApiPublication {
  readonly #context: DocumentContext;
  readonly #byPath = new Map<string, OpenApiResource[]>();
  readonly #resources: readonly OpenApiResource[];
  #protobuf: Buffer | undefined;
  readonly #documents = new Map<string, PublishedDocument>();

  constructor(resources: readonly OpenApiResource[], context: DocumentContext) {
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
    return resources && this.#published(path, () => openApiV3(resources, this.#context));
  }

  /** The document at /openapi/v2. */
  v2(): PublishedDocument {
    return this.#published('v2', () => openApiV2(this.#resources, this.#context));
  }

  /** The same as protobuf. */
  v2Protobuf(): Buffer {
    this.#protobuf ??= encodeSwagger(openApiV2(this.#resources, this.#context));
    return this.#protobuf;
  }

  #published(key: string, make: () => JsonObject): PublishedDocument {
    const known = this.#documents.get(key);
    if (known !== undefined) return known;
    const body = JSON.stringify(make());
    const document = { body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() };
    this.#documents.set(key, document);
    return document;
  }
}
