import { isIPv6 } from 'node:net';

/** What Go's network packages say of a request that Node couldn't make. */

interface NodeNetworkError {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly message: string;
}

const CERTIFICATE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'x509: certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'x509: certificate signed by unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'x509: certificate signed by unknown authority',
  CERT_SIGNATURE_FAILURE: 'x509: certificate signed by unknown authority',
};

const DIALLING: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
};

/** @param error what Node's https gave. */
export const goNetworkWords = (error: NodeNetworkError): string => {
  const { code = '', address = '', port = 0, hostname = '', message } = error;
  const dialling = DIALLING[code];
  if (dialling !== undefined) return `dial tcp ${isIPv6(address) ? `[${address}]` : address}:${port}: ${dialling}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${hostname}: no such host`;
  const certificate = CERTIFICATE[code];
  if (certificate !== undefined) return `tls: failed to verify certificate: ${certificate}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `tls: failed to verify certificate: x509: ${message.replace(/^Hostname\/IP does not match certificate's altnames: /, 'certificate is not valid for the name: ')}`;
  }
  if (code === 'ECONNRESET') return 'EOF';
  return message;
};
