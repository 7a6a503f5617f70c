import type { Environment } from '@marcbachmann/cel-js';
import { type CelEngine, knowsFunction } from '../../crd/cel/cel-engine.ts';
import { compileWords } from '../../crd/cel/compile-words.ts';
import { goTypeName } from '../../crd/cel/go-type-name.ts';
import { AUTHORIZER_TYPE, registerAuthorizer } from './authorizer-values.ts';
import { registerPatchObjects } from './patch-objects.ts';
import { registerRequestTypes } from './request-types.ts';
import { rewriteLiterals } from './rewrite-literals.ts';

/** Which variables an expression may use beside `object`, `oldObject`, `request` and `namespaceObject`. */
export interface Declared {
  readonly params?: boolean;
  readonly authorizer?: boolean;
  /** `Object{…}` and `JSONPatch{…}`. */
  readonly patches?: boolean;
}

export type Run = (activation: Readonly<Record<string, unknown>>) => unknown;

export interface CompiledExpression {
  readonly expression: string;
  /** As cel-js names it: `bool`, `dyn`, `list<int>`. */
  readonly type: string;
  readonly run: Run;
}

/** Why an expression can't be used, in kube-apiserver's words. */
export class CompileError extends Error {
  override readonly name = 'CompileError';
}

/** The types of `variables` so far; none at all where an expression can't use them. */
export type VariableTypes = ReadonlyMap<string, string>;

const SIMPLE: ReadonlySet<string> = new Set(['string', 'int', 'uint', 'double', 'bool', 'bytes']);

/** The object behind `variables`: each is computed when it is first asked for. */
export class Variables {}

/** Compiles the expressions of admission policies and of match conditions (apiserver admission/plugin/cel/compile.go). */
export class AdmissionCompiler {
  readonly #engine: CelEngine;
  readonly #environments = new Map<string, Environment>();

  constructor(engine: CelEngine) {
    this.#engine = engine;
  }

  /**
   * @param returns the types that the expression may have.
   * @throws CompileError
   */
  compile(
    expression: string,
    returns: readonly string[],
    declared: Declared,
    variables?: VariableTypes,
  ): CompiledExpression {
    const source = declared.patches ? rewriteLiterals(expression) : expression;
    const environment = (sameTypes: boolean): Environment => this.#environment(declared, variables, sameTypes);
    let checked: ReturnType<CelEngine['check']>;
    try {
      checked = this.#engine.check(environment, source);
    } catch (error) {
      const isFunction = (name: string): boolean => knowsFunction(environment(true), name);
      // Places of rewritten sources mean nothing to whoever wrote the expression.
      const words = compileWords(source, error, isFunction);
      throw new CompileError(`compilation failed: ${source === expression ? words : atStart(words, expression)}`);
    }
    const { program, type } = checked;
    if (returns.length > 0 && !returns.includes(type)) {
      const wanted =
        returns.length === 1 ? goTypeName(returns[0] ?? '') : `one of [${returns.map(goTypeName).join(' ')}]`;
      throw new CompileError(`must evaluate to ${wanted} but got ${goTypeName(type)}`);
    }
    return { expression, type, run: (activation) => program(activation) };
  }

  #environment(declared: Declared, variables: VariableTypes | undefined, sameTypes: boolean): Environment {
    const { params = false, authorizer = false, patches = false } = declared;
    const types = variables === undefined ? '' : JSON.stringify([...variables]);
    const key = [params, authorizer, patches, sameTypes, types].join();
    let found = this.#environments.get(key);
    if (found === undefined) {
      found = this.#made(declared, variables, sameTypes);
      if (variables === undefined || variables.size === 0) this.#environments.set(key, found);
    }
    return found;
  }

  #made(
    { params, authorizer, patches }: Declared,
    variables: VariableTypes | undefined,
    sameTypes: boolean,
  ): Environment {
    const env = this.#engine.libraries(sameTypes && !patches);
    registerRequestTypes(env);
    registerAuthorizer(env);
    if (patches) registerPatchObjects(env);
    env.registerVariable('object', 'dyn').registerVariable('oldObject', 'dyn');
    env.registerVariable('request', 'kubernetes.AdmissionRequest');
    env.registerVariable('namespaceObject', 'kubernetes.Namespace');
    if (params) env.registerVariable('params', 'dyn');
    if (authorizer) env.registerVariable('authorizer', AUTHORIZER_TYPE);
    if (variables !== undefined) {
      const fields = [...variables].map(([name, type]) => [name, SIMPLE.has(type) ? type : 'dyn']);
      env.registerType('kubernetes.variables', { ctor: Variables, fields: Object.fromEntries(fields) });
      env.registerVariable('variables', 'kubernetes.variables');
    }
    return env;
  }
}

const atStart = (words: string, expression: string): string => {
  const [first = ''] = words.split('\n');
  const line = expression.split('\n')[0] ?? '';
  return `${first.replace(/<input>:\d+:\d+/, '<input>:1:1')}\n | ${line}\n | ^`;
};
