/** As much of ASN.1's distinguished encoding as certificate requests take. */

/** Bytes that are no such encoding. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

export interface DerNode {
  /** Class, form and number, as the first byte has them. */
  readonly tag: number;
  readonly content: Buffer;
  /** Tag and length included. */
  readonly whole: Buffer;
}

export const SEQUENCE = 0x30;
export const SET = 0x31;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
export const OBJECT_ID = 0x06;

/** The values that stand one after the other in some bytes. @throws DerError */
export const readDer = (bytes: Buffer): readonly DerNode[] => {
  const nodes: DerNode[] = [];
  for (let at = 0; at < bytes.length; ) {
    const node = readOne(bytes.subarray(at));
    nodes.push(node);
    at += node.whole.length;
  }
  return nodes;
};

const readOne = (bytes: Buffer): DerNode => {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new DerError('asn1: syntax error: data truncated');
  const extra = first < 0x80 ? 0 : first & 0x7f;
  if (extra > 4 || first === 0x80) throw new DerError('asn1: syntax error: indefinite or enormous length');
  const start = 2 + extra;
  if (bytes.length < start) throw new DerError('asn1: syntax error: truncated base 128 integer');
  const length = extra === 0 ? first : bytes.readUIntBE(2, extra);
  if (bytes.length < start + length) throw new DerError('asn1: syntax error: data truncated');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(0, start + length) };
};

/** The parts of a constructed value. @throws DerError where it isn't one of that tag. */
export const partsOf = (node: DerNode | undefined, tag: number): readonly DerNode[] => {
  if (node?.tag !== tag) throw new DerError('asn1: structure error: tags don’t match');
  return readDer(node.content);
};

/** An object identifier in dots. */
export const objectId = (node: DerNode | undefined): string => {
  if (node?.tag !== OBJECT_ID) throw new DerError('asn1: structure error: tags don’t match');
  const numbers: number[] = [];
  let value = 0;
  for (const byte of node.content) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(value);
      value = 0;
    }
  }
  const [first = 0, ...rest] = numbers;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join('.');
};

/** The bytes of a bit string that is whole bytes. */
export const bitString = (node: DerNode | undefined): Buffer => {
  if (node?.tag !== BIT_STRING) throw new DerError('asn1: structure error: tags don’t match');
  return node.content.subarray(1);
};
