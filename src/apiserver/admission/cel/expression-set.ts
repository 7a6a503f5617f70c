import { CelValueError } from '../../crd/cel/cel-value-error.ts';
import { evaluationWords } from '../../crd/cel/evaluation-words.ts';
import { asString } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';
import type { Activation } from './activation.ts';
import {
  type AdmissionCompiler,
  type CompiledExpression,
  CompileError,
  type Declared,
  Variables,
  type VariableTypes,
} from './admission-compiler.ts';

/** An expression that was stored though it doesn't compile fails when it is run. */
const failing = (expression: string, { message }: CompileError): CompiledExpression => ({
  expression,
  type: 'dyn',
  run: () => {
    throw new CelValueError(message);
  },
});

/** The expressions of one policy, which share its variables (apiserver admission/plugin/cel/composition.go). */
export class ExpressionSet {
  readonly #compiler: AdmissionCompiler;
  readonly #declared: Declared;
  readonly #variables = new Map<string, CompiledExpression>();
  readonly #composed: boolean;

  /** `composed`: whether expressions may use `variables` at all. */
  constructor(compiler: AdmissionCompiler, declared: Declared, composed: boolean) {
    this.#compiler = compiler;
    this.#declared = declared;
    this.#composed = composed;
  }

  /** Adds a variable, which later ones may use. @throws CompileError, and then the variable is of any type. */
  define(name: string, expression: string): void {
    try {
      const compiled = this.#compiler.compile(expression, [], this.#declared, this.#types());
      this.#variables.set(name, compiled);
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      this.#variables.set(name, failing(expression, error));
      throw error;
    }
  }

  /** @throws CompileError */
  compile(expression: string, returns: readonly string[], declared: Declared = this.#declared): CompiledExpression {
    return this.#compiler.compile(expression, returns, declared, this.#types());
  }

  /** For what is stored: compiled as it is, or failing when it is run. */
  stored(expression: string, returns: readonly string[], declared: Declared = this.#declared): CompiledExpression {
    try {
      return this.compile(expression, returns, declared);
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      return failing(expression, error);
    }
  }

  defineStored(variables: readonly JsonObject[]): void {
    for (const { name, expression } of variables) {
      try {
        this.define(asString(name), asString(expression));
      } catch (error) {
        if (!(error instanceof CompileError)) throw error;
      }
    }
  }

  /** The activation with `variables`, each computed once it is asked for. */
  withVariables(activation: Activation): Activation {
    if (!this.#composed) return activation;
    const variables = new Variables();
    const whole: Activation = { ...activation, variables };
    for (const [name, compiled] of this.#variables) {
      let outcome: { readonly value: unknown } | undefined;
      const get = (): unknown => {
        outcome ??= { value: computed(name, compiled, whole) };
        return outcome.value;
      };
      Object.defineProperty(variables, name, { enumerable: true, get });
    }
    return whole;
  }

  #types(): VariableTypes | undefined {
    if (!this.#composed) return undefined;
    return new Map([...this.#variables].map(([name, { type }]) => [name, type]));
  }
}

const computed = (name: string, { run }: CompiledExpression, activation: Activation): unknown => {
  try {
    return run(activation);
  } catch (error) {
    throw new CelValueError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${evaluationWords(error)}`);
  }
};
