import { badRequest } from '../api-refusals.ts';
import { checkEscalation } from '../auth/check-escalation.ts';
import type { Rbac } from '../auth/rbac.ts';
import { asObject, timestamp } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { answerReview, type TokenReader } from '../subresources/access-reviews.ts';
import { bindPod } from '../subresources/bind-pod.ts';
import { connectPod } from '../subresources/connect-pod.ts';
import { evictPod } from '../subresources/evict-pod.ts';
import { requestToken, type TokenSigner } from '../subresources/request-token.ts';
import { getScale, patchScale, updateScale } from '../subresources/scale-object.ts';
import { createObject } from './create-object.ts';
import { decodeBody } from './decode-body.ts';
import { deleteCollection } from './delete-collection.ts';
import { type Deleted, type DeleteQuery, deleteObject } from './delete-object.ts';
import { getObject } from './get-object.ts';
import { listObjects, type ObjectList } from './list-objects.ts';
import type { ListQuery } from './list-options.ts';
import { type PatchBody, patchObject } from './patch-object.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { ResourceRequest, WriteRequest } from './request.ts';
import { updateObject, type Written } from './update-object.ts';
import { type ObjectEvent, type Watching, watchObjects } from './watch-objects.ts';

export interface TokenIssuer {
  readonly sign: TokenSigner;
  readonly read: TokenReader;
}

/** All verbs on all resources and subresources, for whatever carries the requests. Every method throws ApiError. */
export class Registry {
  readonly #deps: RegistryDeps;
  readonly #tokens: TokenIssuer;
  readonly #rbac: Rbac;

  constructor(deps: RegistryDeps & { readonly tokens: TokenIssuer; readonly rbac: Rbac }) {
    this.#deps = deps;
    this.#tokens = deps.tokens;
    this.#rbac = deps.rbac;
  }

  get(request: ResourceRequest, resourceVersion = ''): JsonObject {
    if (request.subresource === 'scale') return getScale(this.#deps, request);
    return getObject(this.#deps, request, resourceVersion);
  }

  /** Connects to a pod or node, as far as that goes without any. Throws ApiError. */
  connect(request: ResourceRequest, container: string): void {
    connectPod(this.#deps, request, container);
  }

  list(request: ResourceRequest, query: ListQuery): ObjectList {
    return listObjects(this.#deps, request, query);
  }

  watch(request: ResourceRequest, query: ListQuery, emit: (event: ObjectEvent) => void): Watching {
    return watchObjects(this.#deps, request, query, emit);
  }

  /** The object made, or for a subresource what it answers. */
  create(request: WriteRequest, body: unknown): Promise<JsonObject> {
    const { resource, subresource } = request;
    if (subresource === 'binding' || resource.kind === 'Binding') return bindPod(this.#deps, request, body);
    if (subresource === 'eviction') return evictPod(this.#deps, request, body);
    if (subresource === 'token') return requestToken(this.#deps, request, body, this.#tokens.sign);
    if (!resource.verbs.includes('get')) return this.#review(request, body);
    checkEscalation(this.#rbac, request, asObject(body));
    return createObject(this.#deps, request, body);
  }

  async update(request: WriteRequest, body: unknown): Promise<Written> {
    if (request.subresource === 'scale') return replaced(await updateScale(this.#deps, request, body));
    checkEscalation(this.#rbac, request, asObject(body));
    return updateObject(this.#deps, request, body);
  }

  async patch(request: WriteRequest, patch: PatchBody): Promise<Written> {
    if (request.subresource === 'scale') return replaced(await patchScale(this.#deps, request, patch));
    return patchObject(this.#deps, request, patch);
  }

  delete(request: WriteRequest, query: DeleteQuery): Promise<Deleted> {
    return deleteObject(this.#deps, request, query);
  }

  deleteCollection(request: WriteRequest, list: ListQuery, query: DeleteQuery): Promise<ObjectList> {
    return deleteCollection(this.#deps, request, list, query);
  }

  async #review(request: WriteRequest, body: unknown): Promise<JsonObject> {
    const review = await decodeBody(request, this.#deps.kinds.of(request.resource), body);
    if (request.resource.kind === 'TokenReview' && !asObject(review.spec).token) {
      throw badRequest('token is required for TokenReview in authentication');
    }
    const now = timestamp(this.#deps.clock.now());
    return answerReview(request, review, { tokens: this.#tokens.read, rbac: this.#rbac, now });
  }
}

const replaced = (object: JsonObject): Written => ({ object, created: false });
