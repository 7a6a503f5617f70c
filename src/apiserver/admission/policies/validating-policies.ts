import { type ApiError, isNotFound } from '../../../kube/errors.ts';
import { refusal } from '../../api-refusals.ts';
import { asArray, asObject } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';
import { nameOf } from '../../object-meta.ts';
import type { ResourceDefinition } from '../../registry/resource-definition.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { AdmissionDeps } from '../admission-deps.ts';
import type { AdmissionCompiler } from '../cel/admission-compiler.ts';
import { forbiddenWords } from '../forbidden-words.ts';
import { matchResources } from '../request-rules.ts';
import { boundPolicies } from './bound-policies.ts';
import { PolicyConfigError, paramResource, paramsOf } from './policy-params.ts';
import { type Denial, ValidatingPolicy } from './validating-policy.ts';

const CODES: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

interface Denied extends Denial {
  readonly policy: string;
  readonly binding: string;
}

/** Puts requests before the ValidatingAdmissionPolicies that are bound. */
export class ValidatingPolicies {
  readonly #deps: AdmissionDeps;
  readonly #compiler: AdmissionCompiler;
  /** By the stored object, which is another one after each change. */
  readonly #compiled = new WeakMap<JsonObject, ValidatingPolicy>();

  constructor(deps: AdmissionDeps, compiler: AdmissionCompiler) {
    this.#deps = deps;
    this.#compiler = compiler;
  }

  /** @throws ApiError with the first denial. */
  validate(attributes: AdmissionAttributes): void {
    const denied: Denied[] = [];
    for (const { policy, bindings } of boundPolicies(this.#deps.store, 'validating')) {
      denied.push(...this.#judge(attributes, policy, bindings));
    }
    const [first] = denied;
    if (first !== undefined) throw denialOf(attributes, first);
  }

  #judge(attributes: AdmissionAttributes, policy: JsonObject, bindings: readonly JsonObject[]): readonly Denied[] {
    const spec = asObject(policy.spec);
    const name = nameOf(policy);
    const misconfigured = (error: unknown, binding: string): readonly Denied[] => {
      if (!(error instanceof PolicyConfigError) && !isNotFound(error)) throw error;
      if (spec.failurePolicy === 'Ignore') return [];
      const what = binding === '' ? 'policy' : 'binding';
      return [
        { policy: name, binding, reason: '', message: `failed to configure ${what}: ${(error as Error).message}` },
      ];
    };
    let matched: ResourceDefinition | undefined;
    try {
      matched = this.#matches(asObject(spec.matchConstraints), attributes);
      if (matched === undefined) return [];
      if (spec.paramKind !== undefined) paramResource(this.#deps, asObject(spec.paramKind));
    } catch (error) {
      return misconfigured(error, '');
    }
    const resource = matched;
    return bindings.flatMap((binding) => {
      try {
        return this.#judgeBound(attributes, policy, binding, resource);
      } catch (error) {
        return misconfigured(error, nameOf(binding));
      }
    });
  }

  #judgeBound(
    attributes: AdmissionAttributes,
    policy: JsonObject,
    binding: JsonObject,
    matched: ResourceDefinition,
  ): readonly Denied[] {
    const { matchResources: narrowed, validationActions } = asObject(binding.spec);
    if (narrowed !== undefined && !this.#matches(asObject(narrowed), attributes)) return [];
    const named = { policy: nameOf(policy), binding: nameOf(binding) };
    const actions = asArray(validationActions);
    const denied: Denied[] = [];
    for (const params of paramsOf(this.#deps, policy, binding, attributes.namespace)) {
      const { decide } = this.#deps;
      const { denials, faults } = this.#policy(policy).judge({ attributes, matched, params, decide });
      for (const denial of denials) {
        if (actions.includes('Deny')) denied.push({ ...denial, ...named });
        if (actions.includes('Warn')) {
          attributes.request.warn(
            `Validation failed for ValidatingAdmissionPolicy '${named.policy}' with binding '${named.binding}': ${denial.message}`,
          );
        }
      }
      denied.push(...faults.map((fault) => ({ ...fault, ...named })));
    }
    return denied;
  }

  #matches(constraints: JsonObject, attributes: AdmissionAttributes): ResourceDefinition | undefined {
    return matchResources(constraints, attributes, (resource) => this.#deps.catalog.versionsOf(resource));
  }

  #policy(policy: JsonObject): ValidatingPolicy {
    let found = this.#compiled.get(policy);
    if (found === undefined) {
      found = new ValidatingPolicy(this.#compiler, policy);
      this.#compiled.set(policy, found);
    }
    return found;
  }
}

const denialOf = (attributes: AdmissionAttributes, denied: Denied): ApiError => {
  const { policy, binding, message, reason } = denied;
  const by = binding === '' ? '' : ` with binding '${binding}'`;
  const words = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const code = reason === '' ? 422 : (CODES[reason] ?? 422);
  const { text, details } = forbiddenWords(attributes, words);
  return refusal(code, reason || 'Invalid', text, { ...details, causes: [{ message: words }] });
};
