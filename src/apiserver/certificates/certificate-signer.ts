import type { Clock } from '../../kube/clock.ts';
import { isConflict, isNotFound } from '../../kube/errors.ts';
import { asArray, asNumber, asObject, asObjects, asString, timestamp } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { nameOf, resourceVersionOf } from '../object-meta.ts';
import type { Store } from '../store/store.ts';
import { CertificateRequestError, parseCertificateRequest } from './certificate-request.ts';
import { SIGNERS } from './signers.ts';
import type { SigningAuthority } from './signing-authority.ts';

const COLLECTION = 'certificates.k8s.io/certificatesigningrequests';
const DAY = 24 * 60 * 60 * 1000;
const LONGEST = 365 * DAY;
const SHORTEST = 10 * 60 * 1000;

/** Writes a status as the controller manager does. */
export type StatusWriter = (name: string, resourceVersion: string, status: JsonObject) => Promise<void>;

export interface CertificateSignerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly authority: Pick<SigningAuthority, 'sign'>;
  readonly writeStatus: StatusWriter;
}

const holds = (request: JsonObject, type: string): boolean =>
  asObjects(asObject(request.status).conditions).some((condition) => condition.type === type);

const isDue = (request: JsonObject): boolean =>
  SIGNERS.has(asString(asObject(request.spec).signerName)) &&
  holds(request, 'Approved') &&
  !holds(request, 'Denied') &&
  !holds(request, 'Failed') &&
  asString(asObject(request.status).certificate) === '';

/** Signs what is approved for Kubernetes' own signers (pkg/controller/certificates/signer). */
export class CertificateSigner {
  readonly #deps: CertificateSignerDeps;

  constructor(deps: CertificateSignerDeps) {
    this.#deps = deps;
  }

  /** Signs from now on; returns how to stop. */
  start(): () => void {
    const { store } = this.#deps;
    for (const [, request] of store.list(COLLECTION)) this.#consider(request);
    return store.subscribe(COLLECTION, store.revision, ({ type, object }) => {
      if (type !== 'DELETED') this.#consider(object);
    });
  }

  #consider(request: JsonObject): void {
    if (!isDue(request)) return;
    // Whatever else goes wrong shows in the request, which stays without a certificate and is tried at the next change.
    this.#sign(request).catch(() => undefined);
  }

  async #sign(request: JsonObject): Promise<void> {
    const spec = asObject(request.spec);
    const status = asObject(request.status);
    const usages = asArray(spec.usages).map(asString);
    const { writeStatus, authority, clock } = this.#deps;
    const answer = (change: JsonObject): Promise<void> =>
      writeStatus(nameOf(request), resourceVersionOf(request), { ...status, ...change });
    try {
      const parsed = parseCertificateRequest(Buffer.from(asString(spec.request), 'base64').toString('latin1'));
      const message = SIGNERS.get(asString(spec.signerName))?.(parsed, usages);
      if (message !== undefined) {
        const now = timestamp(clock.now());
        const failed = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message };
        await answer({ conditions: [...asArray(status.conditions), { ...failed, lastUpdateTime: now }] });
        return;
      }
      const asked = spec.expirationSeconds === undefined ? LONGEST : asNumber(spec.expirationSeconds) * 1000;
      const duration = Math.min(LONGEST, Math.max(SHORTEST, asked));
      const pem = await authority.sign({ request: parsed.der, usages, duration });
      await answer({ certificate: Buffer.from(pem).toString('base64') });
    } catch (error) {
      const harmless = error instanceof CertificateRequestError || isConflict(error) || isNotFound(error);
      if (!harmless) throw error;
    }
  }
}
