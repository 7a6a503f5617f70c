import type { JsonObject } from '../kind.ts';
import type { AdmissionChain, AdmissionRequest } from '../registry/admission-chain.ts';
import type { AdmissionDeps } from './admission-deps.ts';
import { checkCertificateRequest } from './certificate-admission.ts';
import type { ConfiguredAdmission } from './configured-admission.ts';
import { defaultAdmission } from './default-admission.ts';
import { refusing } from './refuse.ts';

const certificateRequests = 'certificates.k8s.io/certificatesigningrequests';
const group = 'admissionregistration.k8s.io';

/** All of admission. What a cluster configures is loaded once there is any, and until then nothing waits. */
export class Admission implements AdmissionChain {
  readonly #deps: AdmissionDeps;
  #configured: Promise<ConfiguredAdmission> | undefined;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  mutate(request: AdmissionRequest): JsonObject | Promise<JsonObject> {
    const object = defaultAdmission.mutate(request);
    return this.#has('mutating') ? this.#mutate(request, object) : object;
  }

  validate(request: AdmissionRequest): void | Promise<void> {
    defaultAdmission.validate(request);
    if (request.request.resource.collection === certificateRequests) {
      checkCertificateRequest(request, this.#deps.decide, refusing(request));
    }
    if (this.#has('validating')) return this.#validate(request);
    defaultAdmission.checkQuotas(request);
  }

  async #mutate(request: AdmissionRequest, object: JsonObject): Promise<JsonObject> {
    return (await this.#load()).mutate(request, object);
  }

  async #validate(request: AdmissionRequest): Promise<void> {
    await (await this.#load()).validate(request);
    defaultAdmission.checkQuotas(request);
  }

  #has(prefix: 'mutating' | 'validating'): boolean {
    const { store } = this.#deps;
    const policies = store.count(`${group}/${prefix}admissionpolicybindings`);
    return policies > 0 || store.count(`${group}/${prefix}webhookconfigurations`) > 0;
  }

  #load(): Promise<ConfiguredAdmission> {
    this.#configured ??= import('./configured-admission.ts').then((loaded) =>
      loaded.ConfiguredAdmission.load(this.#deps),
    );
    return this.#configured;
  }
}
