import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Store } from '../store/store.ts';
import { TokenKey } from './token-key.ts';

describe('the key of service accounts’ tokens', () => {
  it('signs what others can check with what it publishes', async () => {
    const key = new TokenKey(new Store());
    const token = await key.sign({ sub: 'x' });
    const { keys } = (await key.published()) as unknown as { keys: readonly (JsonWebKey & { kid: string })[] };
    const [jwk = { kid: '' }] = keys;
    const [header = '', claims = '', signature = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'RS256', kid: jwk.kid });
    const text = Buffer.from(`${header}.${claims}`);
    const published = createPublicKey({ key: jwk, format: 'jwk' });
    expect(verify('sha256', text, published, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('reads its own tokens after a restart, and nothing else', async () => {
    const store = new Store();
    const token = await new TokenKey(store).sign({ sub: 'x' });
    const again = new TokenKey(store);
    expect(again.read(token)).toEqual({ sub: 'x' });
    const [header, , signature] = token.split('.');
    const forged = Buffer.from(JSON.stringify({ sub: 'y' })).toString('base64url');
    expect(again.read([header, forged, signature].join('.'))).toBeUndefined();
    expect(again.read('nonsense')).toBeUndefined();
    expect(new TokenKey(new Store()).read(token)).toBeUndefined();
  });
});
