import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../kube/clock.ts';
import { asObject, asString } from '../json.ts';
import { uidOf } from '../object-meta.ts';
import type { TokenIssuer } from '../registry/registry.ts';
import type { UserInfo } from '../registry/request.ts';
import type { Store } from '../store/store.ts';
import type { TokenClaims } from '../subresources/request-token.ts';

export interface TokensDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Signs service accounts' tokens; the same after a restart, so that they stay good. */
  readonly secret: string;
  /** Bearer tokens that are simply known. */
  readonly fixed: readonly { readonly token: string; readonly user: UserInfo }[];
}

const issuer = 'https://kubernetes.default.svc';
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Bearer tokens: the fixed ones, and those it makes for service accounts, good while the account lives. */
export class Tokens implements TokenIssuer {
  readonly #deps: TokensDeps;

  constructor(deps: TokensDeps) {
    this.#deps = deps;
  }

  readonly sign = (claims: TokenClaims): string => {
    const { namespace, name, uid, expires, audiences, id, boundTo } = claims;
    const now = Math.floor(this.#deps.clock.now() / 1000);
    const body = encode({
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
    const text = `${encode({ alg: 'HS256' })}.${body}`;
    return `${text}.${this.#signature(text)}`;
  };

  readonly read = (token: string): UserInfo | undefined => {
    const fixed = this.#deps.fixed.find((one) => sameText(one.token, token));
    return fixed ? fixed.user : this.#account(token);
  };

  #account(token: string): UserInfo | undefined {
    const dot = token.lastIndexOf('.');
    const text = token.slice(0, dot);
    if (dot < 0 || !sameText(this.#signature(text), token.slice(dot + 1))) return undefined;
    const claims = asObject(JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()));
    if (Number(claims.exp) * 1000 < this.#deps.clock.now()) return undefined;
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

  #signature(text: string): string {
    return createHmac('sha256', this.#deps.secret).update(text).digest('base64url');
  }
}

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
