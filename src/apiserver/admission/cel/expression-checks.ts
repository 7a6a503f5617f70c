import type { Environment } from '@marcbachmann/cel-js';
import type { CelEngine } from '../../crd/cel/cel-engine.ts';
import { compileWords } from '../../crd/cel/compile-words.ts';
import type { ComposedExpressions, ExpressionChecker } from '../../validation/expression-checker.ts';
import { AdmissionCompiler, CompileError } from './admission-compiler.ts';
import { ExpressionSet } from './expression-set.ts';

const faultOf = (compile: () => unknown): string | undefined => {
  try {
    compile();
    return undefined;
  } catch (error) {
    if (error instanceof CompileError) return error.message;
    throw error;
  }
};

/** Checks expressions with the engine that runs them. */
export class ExpressionChecks implements ExpressionChecker {
  readonly #engine: CelEngine;
  readonly #compiler: AdmissionCompiler;
  readonly #devices: (sameTypes: boolean) => Environment;

  constructor(engine: CelEngine) {
    this.#engine = engine;
    this.#compiler = new AdmissionCompiler(engine);
    const made = new Map<boolean, Environment>();
    this.#devices = (sameTypes) => {
      const found = made.get(sameTypes) ?? deviceEnvironment(engine, sameTypes);
      made.set(sameTypes, found);
      return found;
    };
  }

  composed(params: boolean, composed: boolean): ComposedExpressions {
    const set = new ExpressionSet(this.#compiler, { params, authorizer: true }, composed);
    return {
      define: (name, expression) => faultOf(() => set.define(name, expression)),
      fault: (expression, { returns, ...declared }) => faultOf(() => set.compile(expression, returns, declared)),
    };
  }

  deviceFault(expression: string): string | undefined {
    try {
      const { type } = this.#engine.check(this.#devices, expression);
      return type === 'bool' || type === 'dyn' ? undefined : `must evaluate to bool or the unknown type, not ${type}`;
    } catch (error) {
      return `compilation failed: ${compileWords(expression, error)}`;
    }
  }
}

/** What selectors of devices see (dynamic-resource-allocation/cel). */
const deviceEnvironment = (engine: CelEngine, sameTypes: boolean): Environment => {
  const env = engine.libraries(sameTypes);
  env.registerType('kubernetes.DRADevice', {
    fields: {
      driver: 'string',
      attributes: 'map<string, map<string, dyn>>',
      capacity: 'map<string, map<string, kubernetes.Quantity>>',
      allowMultipleAllocations: 'bool',
    },
  });
  env.registerVariable('device', 'kubernetes.DRADevice');
  return env;
};
