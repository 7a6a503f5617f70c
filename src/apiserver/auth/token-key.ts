import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { promisify } from 'node:util';
import { asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import type { Store } from '../store/store.ts';

const KEY = 'token-key';
const ALGORITHM = 'RS256';
const DIGEST = 'sha256';
const BITS = 2048;

interface Known {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly id: string;
}

/**
 * The key that signs service accounts' tokens. Made when the first token is asked for, and kept with the state so that tokens
 * outlive a restart.
 */
export class TokenKey {
  readonly #store: Store;
  #known: Known | undefined;
  #making: Promise<Known> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** A JSON web token of some claims. */
  async sign(claims: JsonObject): Promise<string> {
    const { privateKey, id } = await this.#get();
    const text = [{ alg: ALGORITHM, kid: id }, claims].map(encode).join('.');
    return `${text}.${sign(DIGEST, Buffer.from(text), privateKey).toString('base64url')}`;
  }

  /** The claims of a token that this key has signed; undefined for any other text. */
  read(token: string): unknown {
    const known = this.#kept();
    const dot = token.lastIndexOf('.');
    if (known === undefined || dot < 0) return undefined;
    const text = token.slice(0, dot);
    const signature = Buffer.from(token.slice(dot + 1), 'base64url');
    if (!verify(DIGEST, Buffer.from(text), known.publicKey, signature)) return undefined;
    return JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString());
  }

  /** What others check tokens with: a JSON web key set. */
  async published(): Promise<JsonObject> {
    const { publicKey, id } = await this.#get();
    const { kty, n, e } = publicKey.export({ format: 'jwk' });
    return { keys: [{ use: 'sig', kty: asString(kty), kid: id, alg: ALGORITHM, n: asString(n), e: asString(e) }] };
  }

  #kept(): Known | undefined {
    const kept = this.#known === undefined ? this.#store.get('internal', KEY) : undefined;
    if (kept !== undefined) this.#known = knownOf(createPrivateKey(asString(kept.privateKey)));
    return this.#known;
  }

  #get(): Promise<Known> {
    this.#making ??= this.#make();
    return this.#making;
  }

  async #make(): Promise<Known> {
    const kept = this.#kept();
    if (kept !== undefined) return kept;
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS });
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    this.#store.put('internal', KEY, { privateKey: pem });
    this.#known = knownOf(privateKey);
    return this.#known;
  }
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const knownOf = (privateKey: KeyObject): Known => {
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey, id: createHash(DIGEST).update(der).digest('base64url') };
};
