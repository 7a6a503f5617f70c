/** IP addresses as numbers, read as strictly as Go's netip does; IPv4 inside IPv6 is refused, as Kubernetes' CEL library does. */
export interface Address {
  readonly version: 4 | 6;
  readonly value: bigint;
}

export interface Network {
  readonly address: Address;
  readonly bits: number;
}

const parseFour = (text: string): bigint | undefined => {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9][0-9]{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = value * 256n + BigInt(part);
  }
  return value;
};

/** The 16-bit groups of one side of `::`; a dotted tail counts as two. */
const groupsOf = (text: string): bigint[] | undefined => {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [at, part] of parts.entries()) {
    if (part.includes('.')) {
      const four = at === parts.length - 1 ? parseFour(part) : undefined;
      if (four === undefined) return undefined;
      groups.push(four >> 16n, four & 0xffffn);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
};

const parseSix = (text: string): bigint | undefined => {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const left = groupsOf(halves[0] ?? '');
  const right = groupsOf(halves[1] ?? '');
  if (left === undefined || right === undefined) return undefined;
  const missing = 8 - left.length - right.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...left, ...Array.from({ length: missing }, () => 0n), ...right];
  const value = all.reduce((sum, group) => sum * 65536n + group, 0n);
  return value >> 32n === 0xffffn ? undefined : value;
};

export const parseAddress = (text: string): Address | undefined => {
  const version = text.includes(':') ? 6 : 4;
  const value = version === 6 ? parseSix(text) : parseFour(text);
  return value === undefined ? undefined : { version, value };
};

export const parseNetwork = (text: string): Network | undefined => {
  const parts = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/.exec(text);
  const address = parts === null ? undefined : parseAddress(parts[1] ?? '');
  const bits = Number(parts?.[2]);
  return address === undefined || bits > (address.version === 4 ? 32 : 128) ? undefined : { address, bits };
};

/** The canonical text (RFC 5952): lower case, the longest run of zero groups as `::`. */
export const printAddress = ({ version, value }: Address): string => {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, at) => ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
  let [best, length] = [-1, 1];
  for (let at = 0; at < 8; at += 1) {
    let end = at;
    while (groups[end] === '0') end += 1;
    if (end - at > length) [best, length] = [at, end - at];
  }
  if (best < 0) return groups.join(':');
  return `${groups.slice(0, best).join(':')}::${groups.slice(best + length).join(':')}`;
};
