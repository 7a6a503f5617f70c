import { createPublicKey, verify } from 'node:crypto';
import { bitString, DerError, type DerNode, OCTET_STRING, objectId, partsOf, readDer, SEQUENCE, SET } from './der.ts';

/** A request that can't be read, or isn't signed by the key that it is about; the message is Go's as far as it goes. */
export class CertificateRequestError extends Error {
  override readonly name = 'CertificateRequestError';
}

/** A PKCS#10 certificate request. */
export interface CertificateRequest {
  /** The request itself, in DER. */
  readonly der: Buffer;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** How many alternative names of each sort are asked for. */
  readonly names: Readonly<Record<'dns' | 'email' | 'ip' | 'uri', number>>;
  readonly isRsa: boolean;
  /** What the signature is over, what made it, with which key. */
  readonly signed: {
    readonly bytes: Buffer;
    readonly algorithm: string;
    readonly signature: Buffer;
    readonly key: Buffer;
  };
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const ALTERNATIVE_NAMES = '2.5.29.17';
const RSA_KEY = '1.2.840.113549.1.1.1';

/** Digests by signature algorithm; none for those that have their own. */
const DIGESTS: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.5': 'sha1',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.1': 'sha1',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
};

const ATTRIBUTES = 0xa0;
const NAME_TAGS = { dns: 0x82, email: 0x81, ip: 0x87, uri: 0x86 } as const;

/** Reads a PEM text. @throws CertificateRequestError */
export const parseCertificateRequest = (pem: string): CertificateRequest => {
  const block = /-----BEGIN ([^\n-]+)-----\r?\n([\s\S]*?)-----END \1-----/.exec(pem);
  if (block?.[1] !== 'CERTIFICATE REQUEST') {
    throw new CertificateRequestError('PEM block type must be CERTIFICATE REQUEST');
  }
  try {
    return readRequest(Buffer.from(block[2] ?? '', 'base64'));
  } catch (error) {
    if (error instanceof DerError) throw new CertificateRequestError(error.message);
    throw error;
  }
};

const readRequest = (der: Buffer): CertificateRequest => {
  const [outer] = readDer(der);
  const [info, algorithm, signature] = partsOf(outer, SEQUENCE);
  const [, subject, key, ...rest] = partsOf(info, SEQUENCE);
  const names = partsOf(subject, SEQUENCE).flatMap((set) => partsOf(set, SET));
  const valuesOf = (wanted: string): readonly string[] =>
    names.flatMap((pair) => {
      const [type, value] = partsOf(pair, SEQUENCE);
      return objectId(type) === wanted && value !== undefined ? [value.content.toString('utf8')] : [];
    });
  const [keyAlgorithm] = partsOf(key, SEQUENCE);
  if (info === undefined || key === undefined || outer === undefined) {
    throw new DerError('asn1: structure error: sequence truncated');
  }
  return {
    der: outer.whole,
    commonName: valuesOf(COMMON_NAME).at(-1) ?? '',
    organizations: valuesOf(ORGANIZATION),
    names: countNames(rest.find(({ tag }) => tag === ATTRIBUTES)),
    isRsa: objectId(partsOf(keyAlgorithm, SEQUENCE)[0]) === RSA_KEY,
    signed: {
      bytes: info.whole,
      algorithm: objectId(partsOf(algorithm, SEQUENCE)[0]),
      signature: bitString(signature),
      key: key.whole,
    },
  };
};

const countNames = (attributes: DerNode | undefined): CertificateRequest['names'] => {
  const extensions = (attributes === undefined ? [] : readDer(attributes.content)).flatMap((attribute) => {
    const [type, values] = partsOf(attribute, SEQUENCE);
    if (objectId(type) !== EXTENSION_REQUEST) return [];
    return partsOf(values, SET).flatMap((list) => partsOf(list, SEQUENCE));
  });
  const tags = extensions.flatMap((extension) => {
    const parts = partsOf(extension, SEQUENCE);
    if (objectId(parts[0]) !== ALTERNATIVE_NAMES) return [];
    const [list] = readDer(parts.find(({ tag }) => tag === OCTET_STRING)?.content ?? Buffer.alloc(0));
    return partsOf(list, SEQUENCE).map(({ tag }) => tag);
  });
  const count = (wanted: number): number => tags.filter((tag) => tag === wanted).length;
  return {
    dns: count(NAME_TAGS.dns),
    email: count(NAME_TAGS.email),
    ip: count(NAME_TAGS.ip),
    uri: count(NAME_TAGS.uri),
  };
};

/** Whether the key that a request is about has signed it. @throws CertificateRequestError if not. */
export const checkRequestSignature = ({ signed }: CertificateRequest): void => {
  const digest = DIGESTS[signed.algorithm];
  if (digest === undefined) {
    throw new CertificateRequestError('x509: cannot verify signature: algorithm unimplemented');
  }
  try {
    const key = createPublicKey({ key: signed.key, format: 'der', type: 'spki' });
    if (verify(digest, signed.bytes, key, signed.signature)) return;
  } catch (error) {
    throw new CertificateRequestError(`x509: ${(error as Error).message}`);
  }
  throw new CertificateRequestError('crypto/rsa: verification error');
};
