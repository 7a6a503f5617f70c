import type { KeyObject, webcrypto } from 'node:crypto';
import type { Clock, Random } from '../../kube/clock.ts';
import { asString } from '../json.ts';
import type { Store } from '../store/store.ts';

const MINUTE = 60 * 1000;
const YEAR = 365 * 24 * 60 * MINUTE;
/** Certificates are good from a little before now, so that clocks may differ. */
const BACKDATE = 5 * MINUTE;
const KEY = 'signing-authority';
const ALTERNATIVE_NAMES = '2.5.29.17';
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

type X509 = typeof import('@peculiar/x509');
type CryptoKey = webcrypto.CryptoKey;

interface Authority {
  readonly ca: InstanceType<X509['X509Certificate']>;
  readonly key: CryptoKey;
}

/** What a signature is asked for. */
export interface SigningOrder {
  /** The certificate request, in DER. */
  readonly request: Buffer;
  /** As a CertificateSigningRequest names them. */
  readonly usages: readonly string[];
  /** In milliseconds. */
  readonly duration: number;
}

/** A certificate and the key to it, as PEM. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * The authority that signs clients' certificates. Made when the first one is asked for and kept with the state, so that
 * certificates outlive a restart.
 */
export class SigningAuthority {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #onMade: (certificate: string) => void;
  #made: Promise<Authority> | undefined;

  /** `onMade` is told the authority's certificate once there is one that clients are to be trusted by. */
  constructor(
    { store, clock, random }: { readonly store: Store; readonly clock: Clock; readonly random: Random },
    onMade: (certificate: string) => void,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#onMade = onMade;
  }

  /** The authority's certificate as PEM, if it has been made. */
  get certificate(): string | undefined {
    const kept = this.#store.get('internal', KEY);
    return kept === undefined ? undefined : asString(kept.certificate);
  }

  /** Signs a request. Resolves to the certificate as PEM. */
  async sign({ request, usages, duration }: SigningOrder): Promise<string> {
    const x509 = await loadX509();
    const { ca, key } = await this.#authority();
    const asked = new x509.Pkcs10CertificateRequest(request);
    const now = this.#clock.now();
    const names = asked.getExtension(ALTERNATIVE_NAMES);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: this.#serial(),
      subject: asked.subjectName.toJSON(),
      issuer: ca.subject,
      notBefore: new Date(now - BACKDATE),
      notAfter: new Date(Math.min(now + duration, ca.notAfter.getTime())),
      publicKey: asked.publicKey,
      signingKey: key,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        ...usageExtensions(x509, usages),
        ...(names ? [names] : []),
      ],
    });
    return `${certificate.toString('pem')}\n`;
  }

  /** A certificate for this process itself, as `name`. */
  async issue(name: string): Promise<ClientCertificate> {
    const x509 = await loadX509();
    const { webcrypto: crypto, KeyObject: Keys } = await import('node:crypto');
    const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const request = await x509.Pkcs10CertificateRequestGenerator.create({
      name: `CN=${name}`,
      keys,
      signingAlgorithm: ALGORITHM,
    });
    const usages = ['digital signature', 'client auth'];
    const certificate = await this.sign({ request: Buffer.from(request.rawData), usages, duration: 10 * YEAR });
    const key: KeyObject = Keys.from(keys.privateKey);
    return { certificate, key: key.export({ format: 'pem', type: 'pkcs8' }).toString() };
  }

  #serial(): string {
    return `0${this.#random.uuid().replaceAll('-', '').slice(1)}`;
  }

  #authority(): Promise<Authority> {
    this.#made ??= this.#load();
    return this.#made;
  }

  async #load(): Promise<Authority> {
    const x509 = await loadX509();
    const { webcrypto: crypto } = await import('node:crypto');
    const kept = this.#store.get('internal', KEY);
    if (kept !== undefined) {
      const der = Buffer.from(asString(kept.key), 'base64');
      const key = await crypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']);
      return { ca: new x509.X509Certificate(asString(kept.certificate)), key };
    }
    const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const now = this.#clock.now();
    const ca = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: this.#serial(),
      name: 'CN=kubectl-karpenter-client-ca',
      notBefore: new Date(now - 60 * MINUTE),
      notAfter: new Date(now + 10 * YEAR),
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      ],
    });
    const certificate = `${ca.toString('pem')}\n`;
    const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
    this.#store.put('internal', KEY, { certificate, key });
    await this.#store.committed();
    this.#onMade(certificate);
    return { ca, key: keys.privateKey };
  }
}

const loadX509 = async (): Promise<X509> => {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const { webcrypto: crypto } = await import('node:crypto');
  x509.cryptoProvider.set(crypto);
  return x509;
};

const KEY_USAGES: Readonly<Record<string, keyof X509['KeyUsageFlags']>> = {
  signing: 'digitalSignature',
  'digital signature': 'digitalSignature',
  'content commitment': 'nonRepudiation',
  'key encipherment': 'keyEncipherment',
  'key agreement': 'keyAgreement',
  'data encipherment': 'dataEncipherment',
  'cert sign': 'keyCertSign',
  'crl sign': 'cRLSign',
  'encipher only': 'encipherOnly',
  'decipher only': 'decipherOnly',
};

const EXTENDED_USAGES: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

const usageExtensions = (x509: X509, usages: readonly string[]): readonly InstanceType<X509['Extension']>[] => {
  const flags = usages.reduce((all, usage) => {
    const name = KEY_USAGES[usage];
    return name === undefined ? all : all | x509.KeyUsageFlags[name];
  }, 0);
  const extended = [...new Set(usages.flatMap((usage) => EXTENDED_USAGES[usage] ?? []))];
  return [
    ...(flags === 0 ? [] : [new x509.KeyUsagesExtension(flags, true)]),
    ...(extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension(extended)]),
  ];
};
