import { jsonEqual } from '../../kube/json-equal.ts';
import { CertificateRequestError, parseCertificateRequest } from '../certificates/certificate-request.ts';
import { asObject, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import type { AdmissionRequest } from '../registry/admission-chain.ts';
import type { Decide } from './cel/authorizer-values.ts';
import type { Refuse } from './refuse.ts';

/** Who may decide about certificate requests and answer them (plugin/pkg/admission/certificates). */

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

const mayFor = (request: AdmissionRequest, decide: Decide, verb: string, signer: string): boolean => {
  const about = { type: 'resource', verb, group: 'certificates.k8s.io', plural: 'signers' } as const;
  const [domain = ''] = signer.split('/');
  return [signer, `${domain}/*`].some(
    (name) => decide(request.request.user, { ...about, subresource: '', namespace: '', name }).allowed,
  );
};

/** Certificates of the administrators' group come by no request. */
const checkSubject = (object: JsonObject, refuse: Refuse): void => {
  const spec = asObject(object.spec);
  if (spec.signerName !== CLIENT_SIGNER) return;
  try {
    const pem = Buffer.from(asString(spec.request), 'base64').toString('latin1');
    if (!parseCertificateRequest(pem).organizations.includes('system:masters')) return;
  } catch (error) {
    if (!(error instanceof CertificateRequestError)) throw error;
    throw refuse(`failed to parse CSR: ${error.message}`);
  }
  throw refuse(`use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`);
};

/** Throws what `refuse` makes where a write of a certificate request isn't its writer's. */
export const checkCertificateRequest = (asked: AdmissionRequest, decide: Decide, refuse: Refuse): void => {
  const { operation, request, object, old = {} } = asked;
  const signer = asString(asObject(old.spec).signerName);
  if (operation === 'CREATE' && request.subresource === '') checkSubject(object, refuse);
  if (operation !== 'UPDATE') return;
  if (request.subresource === 'approval' && !mayFor(asked, decide, 'approve', signer)) {
    throw refuse(`user not permitted to approve requests with signerName ${JSON.stringify(signer)}`);
  }
  if (request.subresource !== 'status') return;
  const [before, now] = [asObject(old.status), asObject(object.status)];
  const same = ['certificate', 'conditions'].every((name) => jsonEqual(before[name] ?? null, now[name] ?? null));
  if (!same && !mayFor(asked, decide, 'sign', signer)) {
    throw refuse(`user not permitted to sign requests with signerName ${JSON.stringify(signer)}`);
  }
};
