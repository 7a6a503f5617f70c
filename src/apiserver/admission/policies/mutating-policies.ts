import { isNotFound } from '../../../kube/errors.ts';
import { jsonEqual } from '../../../kube/json-equal.ts';
import { refusal } from '../../api-refusals.ts';
import { asObject } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';
import { nameOf, namespaceOf } from '../../object-meta.ts';
import { decodeObject } from '../../registry/decode-body.ts';
import type { ResourceDefinition } from '../../registry/resource-definition.ts';
import { type AdmissionAttributes, inOwnVersion, inVersionOf } from '../admission-attributes.ts';
import type { AdmissionDeps } from '../admission-deps.ts';
import type { AdmissionCompiler } from '../cel/admission-compiler.ts';
import { forbiddenWords } from '../forbidden-words.ts';
import type { Reinvocation } from '../reinvocation.ts';
import { matchResources } from '../request-rules.ts';
import { MutationError } from './apply-configuration.ts';
import { type BoundPolicy, boundPolicies } from './bound-policies.ts';
import { MutatingPolicy } from './mutating-policy.ts';
import { PolicyConfigError, paramResource, paramsOf } from './policy-params.ts';

/** One policy that is about a request, with one binding and one of its params. */
interface Invocation {
  readonly policy: JsonObject;
  readonly binding: JsonObject;
  readonly matched: ResourceDefinition;
  readonly params: JsonObject | undefined;
}

interface Fault {
  readonly message: string;
  readonly reason: string;
}

/** Lets the MutatingAdmissionPolicies that are bound change what is written. */
export class MutatingPolicies {
  readonly #deps: AdmissionDeps;
  readonly #compiler: AdmissionCompiler;
  /** By the stored object, which is another one after each change. */
  readonly #compiled = new WeakMap<JsonObject, MutatingPolicy>();

  constructor(deps: AdmissionDeps, compiler: AdmissionCompiler) {
    this.#deps = deps;
    this.#compiler = compiler;
  }

  /** The object after all policies. `again`: only those run that asked to see later changes. @throws ApiError */
  mutate(attributes: AdmissionAttributes, object: JsonObject, rounds: Reinvocation, again: boolean): JsonObject {
    const faults: Fault[] = [];
    const invocations = boundPolicies(this.#deps.store, 'mutating').flatMap((bound) =>
      this.#invocations(attributes, bound, faults),
    );
    let now = object;
    for (const invocation of invocations)
      now = this.#invoke({ ...attributes, object: now }, invocation, rounds, again, faults);
    rounds.finish(now);
    const [first] = faults;
    if (first === undefined) return now;
    const { details } = forbiddenWords(attributes, '');
    const causes = faults.map(({ message }) => ({ message }));
    throw refusal(403, first.reason, first.message, { ...details, causes });
  }

  #invocations(attributes: AdmissionAttributes, bound: BoundPolicy, faults: Fault[]): readonly Invocation[] {
    const { policy, bindings } = bound;
    const spec = asObject(policy.spec);
    const found: Invocation[] = [];
    let current: JsonObject | undefined;
    try {
      const matched = this.#matches(asObject(spec.matchConstraints), attributes);
      if (matched === undefined) return [];
      if (spec.paramKind !== undefined) paramResource(this.#deps, asObject(spec.paramKind));
      for (const binding of bindings) {
        current = binding;
        const { matchResources: narrowed } = asObject(binding.spec);
        if (narrowed !== undefined && !this.#matches(asObject(narrowed), attributes)) continue;
        for (const params of paramsOf(this.#deps, policy, binding, attributes.namespace)) {
          found.push({ policy, binding, matched, params });
        }
      }
    } catch (error) {
      if (!(error instanceof PolicyConfigError) && !isNotFound(error)) throw error;
      const what = current === undefined ? 'policy' : 'binding';
      note(faults, policy, current, `failed to configure ${what}: ${(error as Error).message}`, 'Forbidden');
    }
    return found;
  }

  #invoke(
    attributes: AdmissionAttributes & { readonly object: JsonObject },
    { policy, binding, matched, params }: Invocation,
    rounds: Reinvocation,
    again: boolean,
    faults: Fault[],
  ): JsonObject {
    const { object } = attributes;
    if (attributes.operation === 'DELETE') return object;
    const id = [policy, binding, params ?? {}].map((one) => `${namespaceOf(one)}/${nameOf(one)}`).join(' ');
    const compiled = this.#policy(policy);
    const { decide } = this.#deps;
    const match = compiled.matches({ attributes, matched, params, decide });
    if ('error' in match) note(faults, policy, binding, match.error);
    if ('error' in match || !match.matches || (again && !rounds.runsAgain(id))) return object;
    let now = object;
    for (const mutation of compiled.mutations) {
      try {
        const inputs = { attributes: { ...attributes, object: now }, matched, params, decide };
        const versioned = inVersionOf(attributes, matched, now);
        now = this.#taken(attributes, matched, mutation(inputs, versioned, this.#deps.kinds.of(matched).schema()));
      } catch (error) {
        if (!(error instanceof MutationError)) throw error;
        note(faults, policy, binding, error.message);
      }
    }
    const ifNeeded = asObject(policy.spec).reinvocationPolicy === 'IfNeeded';
    rounds.ran(id, { changed: !jsonEqual(object, now), ifNeeded });
    return now;
  }

  /** A mutated object in the request's own version, with its defaults. */
  #taken(attributes: AdmissionAttributes, matched: ResourceDefinition, object: JsonObject): JsonObject {
    const { request, resource } = attributes;
    const own = inOwnVersion(attributes, matched, object);
    return decodeObject({ ...request, fieldValidation: 'Ignore' }, this.#deps.kinds.of(resource), own);
  }

  #matches(constraints: JsonObject, attributes: AdmissionAttributes): ResourceDefinition | undefined {
    return matchResources(constraints, attributes, (resource) => this.#deps.catalog.versionsOf(resource));
  }

  #policy(policy: JsonObject): MutatingPolicy {
    let found = this.#compiled.get(policy);
    if (found === undefined) {
      found = new MutatingPolicy(this.#compiler, policy);
      this.#compiled.set(policy, found);
    }
    return found;
  }
}

/** Notes a failure, unless the policy is to be passed over then. */
const note = (
  faults: Fault[],
  policy: JsonObject,
  binding: JsonObject | undefined,
  words: string,
  reason = 'Invalid',
): void => {
  if (asObject(policy.spec).failurePolicy === 'Ignore') return;
  const name = nameOf(policy);
  const by = binding === undefined ? JSON.stringify(name) : `'${name}' with binding '${nameOf(binding)}'`;
  faults.push({ message: `policy ${by} denied request: ${words}`, reason });
};
