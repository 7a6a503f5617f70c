import type { Environment } from '@marcbachmann/cel-js';
import { goQuote } from '../../../validation/go-text.ts';
import { CelValueError } from '../cel-value-error.ts';

/** The parts of an absolute URI or path, unchanged and still escaped (apiserver cel/library/urls.go, Go's net/url). */
class CelUrl {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(scheme: string, host: string, path: string, query: string) {
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
  }
}

const PARTS = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:[^@/?#]*@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s;

const parse = (text: string): CelUrl | undefined => {
  if (text === '' || /[\p{Cc}]/u.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  const parts = PARTS.exec(text);
  const [, scheme = '', host = '', path = '', query = ''] = parts ?? [];
  if (parts === null || (scheme === '' && !text.startsWith('/')) || / /.test(host)) return undefined;
  if (/:[^0-9\]]*$/.test(host) && !/:[0-9]*$/.test(host) && !host.endsWith(']')) return undefined;
  return new CelUrl(scheme.toLowerCase(), host, path, query);
};

const read = (text: string): CelUrl => {
  const url = parse(text);
  if (url !== undefined) return url;
  const why = text === '' ? 'empty url' : 'invalid URI for request';
  throw new CelValueError(`URL parse error during conversion from string: parse ${goQuote(text)}: ${why}`);
};

const portOf = ({ host }: CelUrl): string => /:([0-9]*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? '';

const hostnameOf = (url: CelUrl): string => {
  const bracketed = /^\[(.*)\]/.exec(url.host)?.[1];
  return bracketed ?? url.host.replace(/:[0-9]*$/, '');
};

const queryOf = ({ query }: CelUrl): Readonly<Record<string, readonly string[]>> => {
  const out: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const values = out[name] ?? [];
    values.push(value);
    out[name] = values;
  }
  return out;
};

export const registerUrls = (env: Environment): void => {
  env.registerType('kubernetes.URL', { ctor: CelUrl, fields: {} });
  env.registerFunction('url(string): kubernetes.URL', read);
  env.registerFunction('isURL(string): bool', (text: string) => parse(text) !== undefined);
  env.registerFunction('kubernetes.URL.getScheme(): string', ({ scheme }: CelUrl) => scheme);
  env.registerFunction('kubernetes.URL.getHost(): string', ({ host }: CelUrl) => host);
  env.registerFunction('kubernetes.URL.getHostname(): string', hostnameOf);
  env.registerFunction('kubernetes.URL.getPort(): string', portOf);
  env.registerFunction('kubernetes.URL.getEscapedPath(): string', ({ path }: CelUrl) => path);
  env.registerFunction('kubernetes.URL.getQuery(): map<string, list<string>>', queryOf);
};
