import { parseAddress, parseNetwork } from '../crd/cel/ip-address.ts';
import type { FieldError } from '../kind.ts';
import * as field from './field-error.ts';

/** IP addresses and networks in fields that have long taken them. */

export const isSix = (address: string): boolean => parseAddress(address)?.version === 6;

export const validateAddress = (path: string, address: string): readonly FieldError[] =>
  parseAddress(address) === undefined
    ? [field.invalid(path, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
    : [];

export const validateNetwork = (path: string, network: string): readonly FieldError[] =>
  parseNetwork(network) === undefined
    ? [field.invalid(path, network, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')]
    : [];

export const isSixNetwork = (network: string): boolean => parseNetwork(network)?.address.version === 6;

const LINK_LOCAL_FOUR = /^169\.254\./;
const LINK_LOCAL_MULTICAST = /^224\.0\.0\./;

/** Addresses that lead to a host: not unspecified, loopback, link-local or link-local multicast. */
export const validateEndpointAddress = (path: string, address: string): readonly FieldError[] => {
  const text = address.toLowerCase();
  if (text === '0.0.0.0' || text === '::') {
    return [field.invalid(path, address, `may not be unspecified (${address})`)];
  }
  if (text.startsWith('127.') || text === '::1') {
    return [field.invalid(path, address, 'may not be in the loopback range (127.0.0.0/8, ::1/128)')];
  }
  if (LINK_LOCAL_FOUR.test(text) || /^fe[89ab]/.test(text)) {
    return [field.invalid(path, address, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')];
  }
  return LINK_LOCAL_MULTICAST.test(text) || text.startsWith('ff02:')
    ? [field.invalid(path, address, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')]
    : [];
};
