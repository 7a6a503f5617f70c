import { describe, expect, it } from 'vitest';
import { proxyFor } from './env-proxy.ts';

describe('the proxy of the environment', () => {
  const env = (noProxy: string) => ({ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: noProxy });
  const proxied = 'http://proxy:3128';

  it.each([
    ['https://api.example.com:6443', '', proxied],
    ['http://api.example.com', '', undefined],
    ['https://localhost:6443', '', undefined],
    ['https://127.0.0.1:6443', '', undefined],
    ['https://[::1]:6443', '', undefined],
    ['https://api.example.com', '*', undefined],
    ['https://api.example.com', 'example.com', undefined],
    ['https://api.example.com', '.example.com', undefined],
    ['https://example.com', '.example.com', proxied],
    ['https://notexample.com', 'example.com', proxied],
    ['https://API.example.com', 'other, Example.com', undefined],
    ['https://api.example.com:6443', 'example.com:443', proxied],
    ['https://api.example.com', 'example.com:443', undefined],
    ['https://10.1.2.3', '10.0.0.0/8', undefined],
    ['https://11.1.2.3', '10.0.0.0/8', proxied],
    ['https://10.1.2.3', '10.1.2.3', undefined],
    ['https://[fd00::5]', 'fd00::/16', undefined],
    ['https://10.1.2.3', '10.0.0.0/99', proxied],
  ])('for %s with NO_PROXY %j is %s', (server, noProxy, expected) => {
    expect(proxyFor(server, env(noProxy))).toBe(expected);
  });

  it('may be given in lower case and without a scheme', () => {
    expect(proxyFor('http://a.example', { http_proxy: 'proxy:8080' })).toBe('http://proxy:8080');
    expect(proxyFor('http://a.example', {})).toBeUndefined();
  });
});
