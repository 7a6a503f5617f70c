import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../kube/clock.ts';
import { asObject, asString } from '../json.ts';
import { uidOf } from '../object-meta.ts';
import type { TokenIssuer } from '../registry/registry.ts';
import type { UserInfo } from '../registry/request.ts';
import type { Store } from '../store/store.ts';
import type { TokenClaims } from '../subresources/request-token.ts';
import type { TokenKey } from './token-key.ts';

export interface TokensDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Signs service accounts' tokens. */
  readonly key: TokenKey;
  /** Bearer tokens that are simply known. */
  readonly fixed: readonly { readonly token: string; readonly user: UserInfo }[];
}

export const issuer = 'https://kubernetes.default.svc';

/** Bearer tokens: the fixed ones, and those it makes for service accounts, good while the account lives. */
export class Tokens implements TokenIssuer {
  readonly #deps: TokensDeps;

  constructor(deps: TokensDeps) {
    this.#deps = deps;
  }

  readonly sign = (claims: TokenClaims): Promise<string> => {
    const { namespace, name, uid, expires, audiences, id, boundTo } = claims;
    const now = Math.floor(this.#deps.clock.now() / 1000);
    return this.#deps.key.sign({
      aud: audiences,
      exp: Math.floor(expires / 1000),
      iat: now,
      iss: issuer,
      jti: id,
      'kubernetes.io': {
        namespace,
        serviceaccount: { name, uid },
        ...(boundTo ? { [boundTo.kind.toLowerCase()]: { name: boundTo.name, uid: boundTo.uid } } : {}),
      },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  };

  readonly read = (token: string): UserInfo | undefined => {
    const fixed = this.#deps.fixed.find((one) => sameText(one.token, token));
    return fixed ? fixed.user : this.#account(token);
  };

  #account(token: string): UserInfo | undefined {
    const claims = asObject(this.#deps.key.read(token));
    if (!(Number(claims.exp) * 1000 >= this.#deps.clock.now())) return undefined;
    const own = asObject(claims['kubernetes.io']);
    const account = asObject(own.serviceaccount);
    const namespace = asString(own.namespace);
    const name = asString(account.name);
    const found = this.#deps.store.get('serviceaccounts', `${namespace}/${name}`);
    if (!found || uidOf(found) !== account.uid) return undefined;
    return {
      name: `system:serviceaccount:${namespace}:${name}`,
      uid: asString(account.uid),
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${asString(claims.jti)}`] },
    };
  }
}

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
