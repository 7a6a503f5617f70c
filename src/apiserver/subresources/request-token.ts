import { badRequest, invalid, notFound } from '../api-refusals.ts';
import { asNumber, asObject, asString, timestamp } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { metaOf, nameOf, uidOf } from '../object-meta.ts';
import { admitBody } from '../registry/admit-body.ts';
import { decodeBody } from '../registry/decode-body.ts';
import { getObject } from '../registry/get-object.ts';
import type { RegistryDeps } from '../registry/registry-deps.ts';
import type { WriteRequest } from '../registry/request.ts';

const kind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
const audience = 'https://kubernetes.default.svc';
const bindable: Readonly<Record<string, string>> = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' };

/** What a service account's token says. */
export interface TokenClaims {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  readonly audiences: readonly string[];
  readonly id: string;
  readonly boundTo?: { readonly kind: string; readonly name: string; readonly uid: string };
}

/** Makes a bearer token of claims. */
export type TokenSigner = (claims: TokenClaims) => Promise<string>;

/** The token subresource of service accounts. Throws ApiError. */
export async function requestToken(
  deps: RegistryDeps,
  request: WriteRequest,
  body: unknown,
  sign: TokenSigner,
): Promise<JsonObject> {
  const account = getObject(deps, request);
  const asked = await admitBody(deps, request, await decodeBody(request, deps.kinds.named(kind), body), kind);
  const spec = asObject(asked.spec);
  if (nameOf(asked) && nameOf(asked) !== request.name) {
    throw invalid(kind, request.name, [
      {
        type: 'FieldValueInvalid',
        field: 'metadata.name',
        message: `Invalid value: "${nameOf(asked)}": must match the service account name if specified`,
      },
    ]);
  }
  const seconds = asNumber(spec.expirationSeconds) || 3600;
  checkSeconds(seconds);
  const boundTo = boundObject(deps, request, asObject(spec.boundObjectRef));
  const given = Array.isArray(spec.audiences) ? spec.audiences.map(asString) : [];
  const audiences = given.length > 0 ? given : [audience];
  const now = deps.clock.now();
  const expires = now + seconds * 1000;
  const { namespace } = request;
  const token = await sign({
    namespace,
    name: request.name,
    uid: uidOf(account),
    expires,
    audiences,
    id: deps.random.uuid(),
    ...(boundTo ? { boundTo } : {}),
  });
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: request.name, namespace, uid: metaOf(account).uid, creationTimestamp: timestamp(now) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: timestamp(expires) },
  };
}

function checkSeconds(seconds: number): void {
  const refuse = (why: string) =>
    invalid(kind, '', [
      { type: 'FieldValueInvalid', field: 'spec.expirationSeconds', message: `Invalid value: ${seconds}: ${why}` },
    ]);
  if (seconds < 600) throw refuse('may not specify a duration less than 10 minutes');
  if (seconds > 2 ** 32) throw refuse('may not specify a duration larger than 2^32 seconds');
}

function boundObject({ store }: RegistryDeps, { namespace }: WriteRequest, ref: JsonObject): TokenClaims['boundTo'] {
  const name = asString(ref.name);
  const kindName = asString(ref.kind);
  if (!kindName) return undefined;
  const collection = bindable[kindName];
  if (!collection) {
    throw badRequest(
      `cannot bind token to object of type ${asString(ref.apiVersion) === 'v1' ? '/v1' : asString(ref.apiVersion)}, Kind=${kindName}`,
    );
  }
  const found = store.get(collection, collection === 'nodes' ? name : `${namespace}/${name}`);
  if (!found) throw notFound({ group: '', resource: collection }, name);
  return { kind: kindName, name, uid: uidOf(found) };
}
