import { BlockList, isIP } from 'node:net';

type Environment = Readonly<Record<string, string | undefined>>;

const either = (env: Environment, name: string): string => env[name] || env[name.toLowerCase()] || '';

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').toLowerCase();

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

function inNetwork(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const family = isIP(address);
  const own = isIP(host);
  if (family === 0 || own !== family || !/^\d+$/.test(bits)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), type);
  return list.check(host, type);
}

/** One entry of NO_PROXY: `*`, an address, a network, a domain with everything below it; maybe with a port. */
function exempts(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return inNetwork(host, entry);
  const match = /^(.*?)(?::(\d+))?$/.exec(entry);
  const [name = '', wantedPort] = isIP(entry) ? [entry] : [match?.[1], match?.[2]];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (name.startsWith('.')) return host.endsWith(name);
  const domain = name.replace(/^\*\./, '');
  return host === domain || host.endsWith(`.${domain}`);
}

/**
 * The proxy that the environment asks for on the way to a server, by the rules of Go's httpproxy package, which kubectl
 * follows: HTTPS_PROXY or HTTP_PROXY by scheme, except what NO_PROXY lists and the machine itself.
 */
export function proxyFor(server: string, env: Environment): string | undefined {
  const url = new URL(server);
  const proxy = either(env, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (proxy === '') return undefined;
  const host = hostOf(url);
  if (isLoopback(host)) return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const exceptions = either(env, 'NO_PROXY')
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  if (exceptions.some((entry) => exempts(entry, host, port))) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}
