import { asObject, asObjects, asString } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';
import { type Activation, activationOf, evaluate, type Inputs, messageOf } from '../cel/activation.ts';
import type { AdmissionCompiler, CompiledExpression } from '../cel/admission-compiler.ts';
import { ExpressionSet } from '../cel/expression-set.ts';
import { matchConditions } from '../cel/match-conditions.ts';

/** A message expression's result may be this long, in bytes. */
const LONGEST_MESSAGE = 5 * 1024;

/** Why a policy says no. An empty reason is that of a failure. */
export interface Denial {
  readonly message: string;
  readonly reason: string;
}

export interface Verdict {
  readonly denials: readonly Denial[];
  /** Failures that count whatever a binding's actions are. */
  readonly faults: readonly Denial[];
}

const NOTHING: Verdict = { denials: [], faults: [] };

interface CompiledValidation {
  readonly validation: JsonObject;
  readonly program: CompiledExpression;
  readonly message: CompiledExpression | undefined;
}

/** A ValidatingAdmissionPolicy ready to run (apiserver admission/plugin/policy/validating). */
export class ValidatingPolicy {
  readonly #expressions: ExpressionSet;
  readonly #conditions: readonly CompiledExpression[];
  readonly #validations: readonly CompiledValidation[];
  readonly #annotations: readonly CompiledExpression[];
  readonly #failsOpen: boolean;

  constructor(compiler: AdmissionCompiler, policy: JsonObject) {
    const spec = asObject(policy.spec);
    const declared = { params: spec.paramKind !== undefined, authorizer: true };
    const set = new ExpressionSet(compiler, declared, true);
    set.defineStored(asObjects(spec.variables));
    const withoutAuthorizer = { params: declared.params };
    this.#expressions = set;
    this.#conditions = asObjects(spec.matchConditions).map(({ expression }) =>
      set.stored(asString(expression), ['bool']),
    );
    this.#validations = asObjects(spec.validations).map((validation) => {
      const message = asString(validation.messageExpression);
      return {
        validation,
        program: set.stored(asString(validation.expression), ['bool']),
        message: message === '' ? undefined : set.stored(message, ['string'], withoutAuthorizer),
      };
    });
    this.#annotations = asObjects(spec.auditAnnotations).map(({ valueExpression }) =>
      set.stored(asString(valueExpression), ['string', 'null']),
    );
    this.#failsOpen = spec.failurePolicy === 'Ignore';
  }

  /** What the policy says of one request, with one set of params. */
  judge(inputs: Omit<Inputs, 'withNamespace'>): Verdict {
    const conditions = this.#activation({ ...inputs, withNamespace: false });
    const match = matchConditions(this.#conditions, conditions);
    if ('error' in match) return this.#failsOpen ? NOTHING : { denials: [failure(match.error)], faults: [] };
    if (!match.matches) return NOTHING;
    const activation = this.#activation({ ...inputs, withNamespace: true });
    return {
      denials: this.#validations.flatMap((one) => this.#check(one, activation)),
      faults: this.#annotations.flatMap((one) => this.#checkAnnotation(one, activation)),
    };
  }

  #activation(inputs: Inputs): Activation {
    return this.#expressions.withVariables(activationOf(inputs));
  }

  #check({ validation, program, message }: CompiledValidation, activation: Activation): readonly Denial[] {
    const outcome = evaluate(program, activation);
    if ('error' in outcome) return this.#failsOpen ? [] : [failure(outcome.error)];
    if (outcome.value === true) return [];
    const { authorizer: _, ...rest } = activation;
    const words =
      messageOf(message && evaluate(message, rest), LONGEST_MESSAGE) ||
      asString(validation.message).trim() ||
      `failed expression: ${asString(validation.expression).trim()}`;
    return [{ message: words, reason: asString(validation.reason) || 'Invalid' }];
  }

  /** There is no audit log that annotations could go to, but what can't be computed is refused all the same. */
  #checkAnnotation(annotation: CompiledExpression, activation: Activation): readonly Denial[] {
    const outcome = evaluate(annotation, activation);
    return 'error' in outcome && !this.#failsOpen ? [failure(outcome.error)] : [];
  }
}

const failure = (message: string): Denial => ({ message, reason: '' });
