import type { Clock } from '../../kube/clock.ts';

/** PEM texts: what the server shows, and what clients trust. */
export interface ServerCertificates {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

const year = 365 * 24 * 60 * 60 * 1000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * Makes a certificate authority and a server certificate for loopback addresses, good for ten years. Takes tens of
 * milliseconds, most of it loading: callers keep the result.
 */
export async function makeCertificates({ clock }: { readonly clock: Clock }): Promise<ServerCertificates> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  const { webcrypto } = await import('node:crypto');
  x509.cryptoProvider.set(webcrypto);
  const notBefore = new Date(clock.now() - 60 * 60 * 1000);
  const notAfter = new Date(clock.now() + 10 * year);
  const caKeys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=kubectl-karpenter-ca',
    notBefore,
    notAfter,
    keys: caKeys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  });
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const leaf = await x509.X509CertificateGenerator.create({
    serialNumber: '02',
    subject: 'CN=kube-apiserver',
    issuer: ca.subject,
    notBefore,
    notAfter,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
        { type: 'dns', value: 'localhost' },
        { type: 'dns', value: 'kubernetes' },
        { type: 'dns', value: 'kubernetes.default.svc' },
      ]),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const lines = key.match(/.{1,64}/g)?.join('\n') ?? '';
  return {
    ca: `${ca.toString('pem')}\n`,
    certificate: `${leaf.toString('pem')}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  };
}
