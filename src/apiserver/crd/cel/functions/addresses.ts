import type { Environment } from '@marcbachmann/cel-js';
import { goQuote } from '../../../validation/go-text.ts';
import { CelValueError } from '../cel-value-error.ts';
import { type Address, type Network, parseAddress, parseNetwork, printAddress } from '../ip-address.ts';

/** IP addresses and networks as CEL values (apiserver cel/library/{ip,cidr}.go). */

class CelIp {
  readonly address: Address;

  constructor(address: Address) {
    this.address = address;
  }
}

class CelCidr {
  readonly network: Network;

  constructor(network: Network) {
    this.network = network;
  }
}

/** What `ip` is in `ip.isCanonical(text)`. */
class IpNamespace {
  readonly functions = 'ip';
}

const readIp = (text: string): CelIp => {
  const address = parseAddress(text);
  if (address !== undefined) return new CelIp(address);
  throw new CelValueError(
    `IP Address ${goQuote(text)} parse error during conversion from string: ParseAddr(${goQuote(text)}): unable to parse IP`,
  );
};

const readCidr = (text: string): CelCidr => {
  const network = parseNetwork(text);
  if (network !== undefined) return new CelCidr(network);
  const words = 'network address parse error during conversion from string: ';
  throw new CelValueError(`${words}${words}netip.ParsePrefix(${goQuote(text)}): no '/'`);
};

const mask = (address: Address, bits: number): bigint => {
  const width = address.version === 4 ? 32 : 128;
  return (address.value >> BigInt(width - bits)) << BigInt(width - bits);
};

const contains = ({ network }: CelCidr, address: Address): boolean =>
  network.address.version === address.version && mask(network.address, network.bits) === mask(address, network.bits);

const containsNetwork = (outer: CelCidr, inner: CelCidr): boolean =>
  outer.network.bits <= inner.network.bits && contains(outer, inner.network.address);

const within = ({ address }: CelIp, four: string, six: string): boolean =>
  contains(readCidr(address.version === 4 ? four : six), address);

const isUnspecified = ({ address }: CelIp): boolean => address.value === 0n;
const isLoopback = (ip: CelIp): boolean => within(ip, '127.0.0.0/8', '::1/128');
const isLinkLocal = (ip: CelIp): boolean => within(ip, '169.254.0.0/16', 'fe80::/10');
const isMulticast = (ip: CelIp): boolean => within(ip, '224.0.0.0/4', 'ff00::/8');

const isGlobal = (ip: CelIp): boolean =>
  !(isUnspecified(ip) || isLoopback(ip) || isLinkLocal(ip) || isMulticast(ip)) &&
  !within(ip, '255.255.255.255/32', 'ff00::/8');

const isLinkLocalMulticast = (ip: CelIp): boolean => {
  const { address } = ip;
  return address.version === 4
    ? contains(readCidr('224.0.0.0/24'), address)
    : ((address.value >> 112n) & 0xff0fn) === 0xff02n;
};

const registerIp = (env: Environment): void => {
  env.registerType('net.IP', { ctor: CelIp, fields: {} });
  env.registerType('IpNamespace', { ctor: IpNamespace, fields: {} });
  env.registerConstant('ip', 'IpNamespace', new IpNamespace());
  env.registerFunction('ip(string): net.IP', readIp);
  env.registerFunction('isIP(string): bool', (text: string) => parseAddress(text) !== undefined);
  env.registerFunction(
    'IpNamespace.isCanonical(string): bool',
    (_: IpNamespace, text: string) => printAddress(readIp(text).address) === text,
  );
  env.registerFunction('net.IP.family(): int', ({ address }: CelIp) => BigInt(address.version));
  env.registerFunction('net.IP.isUnspecified(): bool', isUnspecified);
  env.registerFunction('net.IP.isLoopback(): bool', isLoopback);
  env.registerFunction('net.IP.isLinkLocalMulticast(): bool', isLinkLocalMulticast);
  env.registerFunction('net.IP.isLinkLocalUnicast(): bool', isLinkLocal);
  env.registerFunction('net.IP.isGlobalUnicast(): bool', isGlobal);
  env.registerFunction('string(net.IP): string', ({ address }: CelIp) => printAddress(address));
  env.registerOperator('net.IP == net.IP', (a: CelIp, b: CelIp) => printAddress(a.address) === printAddress(b.address));
};

const printNetwork = ({ network }: CelCidr): string => `${printAddress(network.address)}/${network.bits}`;

export const registerAddresses = (env: Environment): void => {
  registerIp(env);
  env.registerType('net.CIDR', { ctor: CelCidr, fields: {} });
  env.registerFunction('cidr(string): net.CIDR', readCidr);
  env.registerFunction('isCIDR(string): bool', (text: string) => parseNetwork(text) !== undefined);
  env.registerFunction('net.CIDR.containsIP(net.IP): bool', (cidr: CelCidr, ip: CelIp) => contains(cidr, ip.address));
  env.registerFunction('net.CIDR.containsIP(string): bool', (cidr: CelCidr, text: string) =>
    contains(cidr, readIp(text).address),
  );
  env.registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', containsNetwork);
  env.registerFunction('net.CIDR.containsCIDR(string): bool', (cidr: CelCidr, text: string) =>
    containsNetwork(cidr, readCidr(text)),
  );
  env.registerFunction('net.CIDR.ip(): net.IP', ({ network }: CelCidr) => new CelIp(network.address));
  env.registerFunction('net.CIDR.prefixLength(): int', ({ network }: CelCidr) => BigInt(network.bits));
  env.registerFunction(
    'net.CIDR.masked(): net.CIDR',
    ({ network: { address, bits } }: CelCidr) =>
      new CelCidr({ address: { ...address, value: mask(address, bits) }, bits }),
  );
  env.registerFunction('string(net.CIDR): string', printNetwork);
  env.registerOperator('net.CIDR == net.CIDR', (a: CelCidr, b: CelCidr) => printNetwork(a) === printNetwork(b));
};
