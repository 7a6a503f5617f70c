import type { ASTNode, Environment, Optional } from '@marcbachmann/cel-js';
import { childNodes } from './child-nodes.ts';
import { allFaults, CompileFaults } from './compile-faults.ts';
import { registerAddresses } from './functions/addresses.ts';
import { registerComprehensions } from './functions/comprehensions.ts';
import { registerLists } from './functions/lists.ts';
import { registerNamedFormats } from './functions/named-formats.ts';
import { registerQuantities } from './functions/quantities.ts';
import { registerSets } from './functions/sets.ts';
import { registerStrings } from './functions/strings.ts';
import { registerTimes } from './functions/times.ts';
import { registerUrls } from './functions/urls.ts';
import { registerVersions } from './functions/versions.ts';
import { literalFaults } from './literal-faults.ts';
import { resultType } from './result-type.ts';

/** The parts of cel-js in use; the package itself is loaded only when the first rule has to run. */
export interface CelModule {
  readonly Environment: typeof Environment;
  readonly Optional: typeof Optional;
}

export interface CompiledExpression {
  readonly ast: ASTNode;
  /** The type cel-js infers with `self` untyped: `bool`, `string`, `dyn` … */
  readonly type: string;
  readonly usesOldSelf: boolean;
  /** `oldSelf` undefined: there was no object before. */
  run(self: unknown, oldSelf: unknown): unknown;
}

/** CEL with Kubernetes' libraries: compiles rules and message expressions over `self` and `oldSelf`. */
export class CelEngine {
  readonly #cel: CelModule;
  readonly #plain: Environment;
  readonly #optional: Environment;
  #timestamp: ((context: { readonly self: string }) => unknown) | undefined;
  #duration: ((context: { readonly self: string }) => unknown) | undefined;

  constructor(cel: CelModule) {
    this.#cel = cel;
    this.#plain = withSelf(this.libraries(), false);
    this.#optional = withSelf(this.libraries(), true);
  }

  /**
   * @param optionalOldSelf whether `oldSelf` is an optional, present or not, instead of the old value itself.
   * @throws cel-js' ParseError, or CompileFaults.
   */
  compile(expression: string, optionalOldSelf: boolean): CompiledExpression {
    const environment = optionalOldSelf ? this.#optional : this.#plain;
    const mixed = (): Environment => withSelf(this.libraries(false), optionalOldSelf);
    const { program, type } = this.check((sameTypes) => (sameTypes ? environment : mixed()), expression);
    const { Optional: optional } = this.#cel;
    const wrap = (old: unknown): unknown => {
      if (!optionalOldSelf) return old;
      return old === undefined ? optional.none() : optional.of(old);
    };
    return {
      ast: program.ast,
      type,
      usesOldSelf: mentions(program.ast, 'oldSelf'),
      run: (self, oldSelf) => program({ self, oldSelf: wrap(oldSelf) }),
    };
  }

  isFunction(name: string): boolean {
    return knowsFunction(this.#plain, name);
  }

  isTimestamp(text: string): boolean {
    this.#timestamp ??= this.#plain.parse('timestamp(self)');
    try {
      this.#timestamp({ self: text });
      return true;
    } catch {
      return false;
    }
  }

  /** A duration value; texts that are none stay texts. */
  readDuration = (text: string): unknown => {
    this.#duration ??= this.#plain.parse('duration(self)');
    try {
      return this.#duration({ self: text });
    } catch {
      return text;
    }
  };

  /** A parsed and checked program. @throws cel-js' ParseError, or CompileFaults. */
  check(
    environment: (sameTypes: boolean) => Environment,
    expression: string,
  ): { readonly program: ReturnType<Environment['parse']>; readonly type: string } {
    const program = environment(true).parse(expression);
    const { valid, error, type } = program.check();
    if (valid) {
      const faults = literalFaults(program.ast, this);
      if (faults.length > 0) throw new CompileFaults(faults);
      return { program, type: resultType(program.ast, type) };
    }
    if (expression.includes('.format(')) {
      // Lists have items of one type, but for what `format` prints.
      const mixed = environment(false).parse(expression);
      const again = mixed.check();
      if (again.valid) return { program: mixed, type: resultType(mixed.ast, again.type) };
    }
    const any = this.#plain.parse('self');
    any.check();
    const { checkedType } = any.ast as { readonly checkedType?: unknown };
    throw new CompileFaults(allFaults(program, error ?? new Error(`can't check ${expression}`), checkedType));
  }

  /** Kubernetes' libraries and no variables, to be added to. */
  libraries(sameTypes = true): Environment {
    const environment = new this.#cel.Environment({
      enableOptionalTypes: true,
      homogeneousAggregateLiterals: sameTypes,
      limits: { maxAstNodes: 100_000, maxDepth: 250 },
    });
    registerComprehensions(environment, this.#cel.Optional);
    registerLists(environment, this.#cel.Optional);
    registerStrings(environment);
    registerQuantities(environment);
    registerAddresses(environment);
    registerUrls(environment);
    registerVersions(environment);
    registerNamedFormats(environment, this.#cel.Optional);
    registerSets(environment);
    registerTimes(environment, this.#cel.Optional);
    return environment;
  }
}

const withSelf = (environment: Environment, optionalOldSelf: boolean): Environment =>
  environment.registerVariable('self', 'dyn').registerVariable('oldSelf', optionalOldSelf ? 'optional<dyn>' : 'dyn');

const mentions = (node: ASTNode, name: string): boolean =>
  (node.op === 'id' && node.args === name) || childNodes(node).some((inner) => mentions(inner, name));

/** Whether there is such a function at all; macros are none. */
export const knowsFunction = (environment: Environment, name: string): boolean =>
  environment
    .getDefinitions()
    .functions.some((known) => known.name === name && !known.params.some(({ type }) => type === 'ast'));

/** Loads cel-js once, at the first need. Share one among all kinds. */
export class CelLoader {
  #engine: Promise<CelEngine> | undefined;

  load(): Promise<CelEngine> {
    this.#engine ??= import('@marcbachmann/cel-js').then((cel) => new CelEngine(cel));
    return this.#engine;
  }
}
