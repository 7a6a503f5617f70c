import type { JsonObject } from '../kind.ts';
import type { AdmissionRequest } from '../registry/admission-chain.ts';
import { attributesOf } from './admission-attributes.ts';
import type { AdmissionDeps } from './admission-deps.ts';
import { AdmissionCompiler } from './cel/admission-compiler.ts';
import { defaultAdmission } from './default-admission.ts';
import { MutatingPolicies } from './policies/mutating-policies.ts';
import { ValidatingPolicies } from './policies/validating-policies.ts';
import { Reinvocation } from './reinvocation.ts';
import { isExempt } from './request-rules.ts';
import { MutatingWebhooks } from './webhooks/mutating-webhooks.ts';
import { ValidatingWebhooks } from './webhooks/validating-webhooks.ts';

/** The policies and webhooks that a cluster has, together with what is built in, in kube-apiserver's order. */
export class ConfiguredAdmission {
  readonly #mutatingPolicies: MutatingPolicies;
  readonly #mutatingWebhooks: MutatingWebhooks;
  readonly #validatingPolicies: ValidatingPolicies;
  readonly #validatingWebhooks: ValidatingWebhooks;

  private constructor(deps: AdmissionDeps, compiler: AdmissionCompiler) {
    this.#mutatingPolicies = new MutatingPolicies(deps, compiler);
    this.#mutatingWebhooks = new MutatingWebhooks(deps, compiler);
    this.#validatingPolicies = new ValidatingPolicies(deps, compiler);
    this.#validatingWebhooks = new ValidatingWebhooks(deps, compiler);
  }

  static async load(deps: AdmissionDeps): Promise<ConfiguredAdmission> {
    return new ConfiguredAdmission(deps, new AdmissionCompiler(await deps.cel.load()));
  }

  /** `object` is what the built-in plugins have made. Once anything changes it, all go round once more. @throws ApiError */
  async mutate(request: AdmissionRequest, object: JsonObject): Promise<JsonObject> {
    const attributes = attributesOf(request);
    if (isExempt(attributes)) return object;
    const [policies, webhooks] = [new Reinvocation(), new Reinvocation()];
    let now = this.#mutatingPolicies.mutate(attributes, object, policies, false);
    now = await this.#mutatingWebhooks.mutate(attributes, now, webhooks, false);
    if (!policies.changed && !webhooks.changed) return now;
    now = defaultAdmission.mutate({ ...request, object: now });
    policies.restart(now);
    now = this.#mutatingPolicies.mutate(attributes, now, policies, true);
    webhooks.restart(now);
    return this.#mutatingWebhooks.mutate(attributes, now, webhooks, true);
  }

  /** @throws ApiError */
  async validate(request: AdmissionRequest): Promise<void> {
    const attributes = attributesOf(request);
    if (isExempt(attributes)) return;
    this.#validatingPolicies.validate(attributes);
    await this.#validatingWebhooks.validate(attributes);
  }
}
