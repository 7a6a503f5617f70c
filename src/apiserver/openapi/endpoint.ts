import type { Answer } from '../http/answer.ts';
import type { DocumentContext } from './documents.ts';
import type { OpenApiResource } from './open-api-resource.ts';
import { OpenApiPublication, type PublishedDocument } from './publication.ts';

export interface OpenApiEndpointDeps extends DocumentContext {
  readonly resources: () => readonly OpenApiResource[];
  /** Grows whenever the resources, or the schemas of custom ones, may have changed. */
  readonly revision: () => number;
}

const NOT_FOUND: Answer = { status: 404, body: '' };
const CACHE = { 'Cache-Control': 'no-cache, private' };
const JSON_TYPE = 'application/json';
const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Answers what lies below /openapi: the v2 document, the index of the v3 ones, and those. */
export class OpenApiEndpoint {
  readonly #deps: OpenApiEndpointDeps;
  #revision = -1;
  #publication: OpenApiPublication | undefined;

  constructor(deps: OpenApiEndpointDeps) {
    this.#deps = deps;
  }

  /** Undefined for a path that isn't one of OpenAPI's. */
  async answer(
    path: string,
    query: URLSearchParams,
    headers: Readonly<Record<string, unknown>>,
  ): Promise<Answer | undefined> {
    const known = headers['if-none-match'];
    if (path === '/openapi/v2') return this.#v2(known, String(headers.accept ?? ''));
    if (path === '/openapi/v3') {
      return { status: 200, body: JSON.stringify(this.#current().index()), contentType: JSON_TYPE };
    }
    if (!path.startsWith('/openapi/v3/')) return undefined;
    const document = this.#current().v3(path.slice('/openapi/v3/'.length));
    if (document === undefined) return NOT_FOUND;
    const hash = query.get('hash');
    if (hash !== null && hash !== document.hash) return redirect(path, document);
    return documentAnswer(document, known, hash === document.hash);
  }

  #v2(known: unknown, accept: string): Answer {
    const current = this.#current();
    const answer = documentAnswer(current.v2(), known);
    if (answer.status !== 200 || !accept.includes('application/com.github.proto-openapi.spec.v2')) return answer;
    return { ...answer, body: current.v2Protobuf(), contentType: PROTOBUF_TYPE };
  }

  #current(): OpenApiPublication {
    const revision = this.#deps.revision();
    if (this.#publication !== undefined && this.#revision === revision) return this.#publication;
    this.#revision = revision;
    this.#publication = new OpenApiPublication(this.#deps.resources(), this.#deps, this.#publication);
    return this.#publication;
  }
}

/** A client with an old hash is sent to where the document is now. */
const redirect = (path: string, { hash }: PublishedDocument): Answer => ({
  status: 301,
  body: '',
  headers: { Location: `${path}?hash=${hash}` },
});

/** A document that was asked for by its hash never changes, and may be kept. */
function documentAnswer({ body, hash }: PublishedDocument, known: unknown, lasting = false): Answer {
  const etag = `"${hash}"`;
  const headers = { ETag: etag, ...(lasting ? { 'Cache-Control': 'public, immutable' } : CACHE) };
  if (known === etag) return { status: 304, body: '', headers };
  return { status: 200, body, contentType: JSON_TYPE, headers };
}
