import { asObject, asObjects, asString, isObject } from '../../json.ts';
import type { FieldSchema, Json, JsonObject } from '../../kind.ts';
import { applyJsonPatch, PatchError } from '../../patch/index.ts';
import { activationOf, evaluate, type Inputs } from '../cel/activation.ts';
import type { AdmissionCompiler, CompiledExpression } from '../cel/admission-compiler.ts';
import { ExpressionSet } from '../cel/expression-set.ts';
import { toJson } from '../cel/json-values.ts';
import { type Match, matchConditions } from '../cel/match-conditions.ts';
import { misnamed, OBJECT_TYPE, PATCH_TYPE, PatchOperation } from '../cel/patch-objects.ts';
import { laidOver, MutationError } from './apply-configuration.ts';

type PolicyInputs = Omit<Inputs, 'withNamespace'>;

/** Changes an object in the version the policy matched. @throws MutationError */
export type Mutation = (inputs: PolicyInputs, object: JsonObject, schema: FieldSchema) => JsonObject;

/** A MutatingAdmissionPolicy ready to run (apiserver admission/plugin/policy/mutating). */
export class MutatingPolicy {
  readonly #expressions: ExpressionSet;
  readonly #conditions: readonly CompiledExpression[];
  readonly mutations: readonly Mutation[];

  constructor(compiler: AdmissionCompiler, policy: JsonObject) {
    const spec = asObject(policy.spec);
    const declared = { params: spec.paramKind !== undefined, authorizer: true };
    const set = new ExpressionSet(compiler, declared, true);
    set.defineStored(asObjects(spec.variables));
    this.#expressions = set;
    this.#conditions = asObjects(spec.matchConditions).map(({ expression }) =>
      set.stored(asString(expression), ['bool']),
    );
    this.mutations = asObjects(spec.mutations).map(({ patchType, jsonPatch, applyConfiguration }) => {
      const isPatch = patchType === 'JSONPatch';
      const { expression } = asObject(isPatch ? jsonPatch : applyConfiguration);
      const returns = isPatch ? [`list<${PATCH_TYPE}>`] : [OBJECT_TYPE];
      const program = set.stored(asString(expression), returns, { ...declared, patches: true });
      return isPatch ? this.#patching(program) : this.#applying(program);
    });
  }

  matches(inputs: PolicyInputs): Match {
    const activation = activationOf({ ...inputs, withNamespace: false });
    return matchConditions(this.#conditions, this.#expressions.withVariables(activation));
  }

  #value(program: CompiledExpression, inputs: PolicyInputs): unknown {
    const activation = activationOf({ ...inputs, withNamespace: true });
    const outcome = evaluate(program, this.#expressions.withVariables(activation));
    if ('error' in outcome) throw new MutationError(outcome.error);
    return outcome.value;
  }

  #applying(program: CompiledExpression): Mutation {
    return (inputs, object, schema) => {
      const value = this.#value(program, inputs);
      const wrong = misnamed(value, OBJECT_TYPE);
      if (wrong.length > 0) throw new MutationError(`type mismatch: ${wrong.join('\n')}`);
      const { apiVersion, kind } = object;
      return laidOver(object, { ...asObject(jsonOf(value)), apiVersion, kind }, schema);
    };
  }

  #patching(program: CompiledExpression): Mutation {
    return (inputs, object) => {
      const value = this.#value(program, inputs);
      const operations = Array.isArray(value) ? value.map(operationOf) : [];
      try {
        const patched = applyJsonPatch(object, operations);
        return isObject(patched) ? patched : object;
      } catch (error) {
        if (!(error instanceof PatchError)) throw error;
        if (failedTest(object, operations)) return object;
        throw new MutationError(`JSON Patch: ${error.message}`);
      }
    };
  }
}

const jsonOf = (value: unknown): Json => {
  try {
    return toJson(value);
  } catch (error) {
    throw new MutationError((error as Error).message);
  }
};

const operationOf = (operation: unknown): Json => {
  if (!(operation instanceof PatchOperation)) {
    throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
  }
  const { value } = operation.parts;
  const wrong = misnamed(value, OBJECT_TYPE);
  // A value may be any part of the object, so that its own name is where its fields' names start.
  const root = wrong.length > 0 && isNamed(value) ? misnamed(value, value.typeName) : [];
  if (root.length > 0) throw new MutationError(`type mismatch: ${root.join('\n')}`);
  return jsonOf(operation.parts);
};

const isNamed = (value: unknown): value is { readonly typeName: string } =>
  typeof value === 'object' && value !== null && 'typeName' in value;

/** A patch whose test fails is one that isn't meant for the object. */
const failedTest = (object: JsonObject, operations: readonly Json[]): boolean => {
  let document: Json = object;
  for (const operation of operations) {
    try {
      document = applyJsonPatch(asObject(document), [operation]);
    } catch {
      return asObject(operation).op === 'test';
    }
  }
  return false;
};
