import type { Environment } from '@marcbachmann/cel-js';
import { allFaults, CompileFaults } from '../../apiserver/crd/cel/compile-faults.ts';
import { compileWords } from '../../apiserver/crd/cel/compile-words.ts';
import { evaluationWords } from '../../apiserver/crd/cel/evaluation-words.ts';
import type { Clock } from '../../kube/clock.ts';
import { withFacts } from '../aws-api/with-facts.ts';
import { TtlCache } from '../cache/ttl-cache.ts';

/** What an expression may ask of an instance type. */
export interface InstanceTypeVars {
  readonly vcpus: number;
  readonly memoryMiB: number;
  /** Network interfaces of the default card. */
  readonly defaultENIs: number;
  readonly ipsPerENI: number;
  /** For maxPods itself the usual density, for reserved amounts the resolved one. */
  readonly maxPods: number;
  readonly instanceType: string;
}

type Program = (variables: Readonly<Record<string, unknown>>) => unknown;

const HOUR_MS = 3_600_000;
const MIN_INT64 = -(2n ** 63n);

const VARIABLES: Readonly<Record<string, 'int' | 'string'>> = {
  vcpus: 'int',
  memory_mib: 'int',
  default_enis: 'int',
  ips_per_eni: 'int',
  max_pods: 'int',
  instance_type: 'string',
};

const valuesOf = (vars: InstanceTypeVars): Readonly<Record<string, unknown>> => ({
  vcpus: BigInt(vars.vcpus),
  memory_mib: BigInt(vars.memoryMiB),
  default_enis: BigInt(vars.defaultENIs),
  ips_per_eni: BigInt(vars.ipsPerENI),
  max_pods: BigInt(vars.maxPods),
  instance_type: vars.instanceType,
});

const FUNCTIONS = {
  max: (left: number | bigint, right: number | bigint) => (left > right ? left : right),
  min: (left: number | bigint, right: number | bigint) => (left < right ? left : right),
} as const;

const PAIRS = [
  ['int', 'int', 'int'],
  ['double', 'double', 'double'],
  ['int', 'double', 'double'],
  ['double', 'int', 'double'],
] as const;

function environmentWith(make: () => Environment): Environment {
  const environment = make();
  for (const [name, type] of Object.entries(VARIABLES)) environment.registerVariable(name, type);
  for (const [name, choose] of Object.entries(FUNCTIONS)) {
    for (const [left, right, result] of PAIRS) {
      const typed = (value: number | bigint) => (result === 'double' ? Number(value) : value);
      environment.registerFunction(`${name}(${left}, ${right}): ${result}`, (a: number | bigint, b: number | bigint) =>
        choose(typed(a), typed(b)),
      );
    }
  }
  return environment;
}

/**
 * CEL over the facts of an instance type, for `maxPods` and the reserved amounts of `spec.kubelet` (aws-provider.md
 * section 5). Results are whole numbers.
 */
export class KubeletExpressions {
  readonly #environment: Environment;
  /** Of CEL's any type. */
  readonly #anyType: unknown;
  readonly #compiled: TtlCache<Program>;

  private constructor(environment: Environment, clock: Clock) {
    this.#environment = environment;
    const any = environment.parse('dyn(1)');
    any.check();
    this.#anyType = (any.ast as { readonly checkedType?: unknown }).checkedType;
    this.#compiled = new TtlCache(clock, { ttlMs: 12 * HOUR_MS, sweepMs: HOUR_MS });
  }

  /** Loads the language, which takes some milliseconds: only where the feature gate NodeClassCEL is on. */
  static async load(clock: Clock): Promise<KubeletExpressions> {
    const cel = await import('@marcbachmann/cel-js');
    const make = () => new cel.Environment({ homogeneousAggregateLiterals: false });
    return new KubeletExpressions(environmentWith(make), clock);
  }

  /** @throws an error that says why the expression is none, or that it gives no number. */
  compile(expression: string): void {
    this.#program(expression);
  }

  /** @throws an error that says what went wrong, for which instance type. */
  evaluate(expression: string, vars: InstanceTypeVars): bigint {
    const program = this.#program(expression);
    const facts = { expression, 'instance-type': vars.instanceType };
    let value: unknown;
    try {
      value = program(valuesOf(vars));
    } catch (error) {
      throw new Error(withFacts(`evaluating expression, ${evaluationWords(error)}`, facts), { cause: error });
    }
    if (typeof value === 'bigint') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return wholePart(value);
    throw new Error(withFacts('expression returned a non-finite value', { ...facts, value: goFloat(value) }));
  }

  #program(expression: string): Program {
    const program = this.#compiled.get(expression) ?? this.#compileAnew(expression);
    this.#compiled.set(expression, program);
    return program;
  }

  #compileAnew(expression: string): Program {
    try {
      const program = this.#environment.parse(expression);
      const { valid, error, type } = program.check();
      if (!valid) throw new CompileFaults(allFaults(program, error, this.#anyType));
      if (type === 'int' || type === 'double') return program;
      throw new OutputError(withFacts('expression must return int or double', { expression, 'output-type': type }));
    } catch (error) {
      if (error instanceof OutputError) throw error;
      const words = compileWords(expression, error, (name) => this.#knows(name));
      throw new Error(withFacts(`compiling expression, ${words}`, { expression }), { cause: error });
    }
  }

  #knows(name: string): boolean {
    return this.#environment.getDefinitions().functions.some((known) => known.name === name);
  }
}

class OutputError extends Error {}

/** Go's conversion of a double on amd64, where all that doesn't fit gives the least number. */
function wholePart(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : MIN_INT64;
}

const goFloat = (value: unknown): string => {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : 'NaN';
};
