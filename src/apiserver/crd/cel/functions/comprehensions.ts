import type { ASTNode, Environment, Optional as OptionalValue } from '@marcbachmann/cel-js';
import { celEqual, celLess } from '../cel-compare.ts';
import { CelValueError } from '../cel-value-error.ts';

/** The macros of cel-go that cel-js lacks: those over keys and values, `sortBy`, `optMap` and `optFlatMap`. */

/** What cel-js hands to macros; its own types leave these out. */
interface Type {
  readonly kind: string;
  readonly name: string;
  readonly keyType?: Type;
  readonly valueType?: Type;
  isDynOrBool(): boolean;
}

interface Scope {
  forkWithVariable(name: string, type: Type): Scope;
  reuse(parent: Scope): Scope;
  setIterValue(value: unknown, evaluator: Evaluator): Scope;
}

interface Checker {
  check(node: ASTNode, scope: Scope): Type;
  getType(name: string): Type;
  createError(code: string, message: string, node: ASTNode): Error;
  formatType(type: Type): string;
}

interface Evaluator {
  run(node: ASTNode, scope: Scope): unknown;
}

interface Call {
  readonly args: readonly ASTNode[];
  readonly receiver: ASTNode;
}

interface Macro {
  readonly async: false;
  typeCheck(checker: Checker, macro: Macro, scope: Scope): Type;
  evaluate(evaluator: Evaluator, macro: Macro, scope: Scope): unknown;
}

type Entry = readonly [key: unknown, value: unknown];

const nameOf = (node: ASTNode | undefined, checker: Checker): string => {
  if (node?.op === 'id') return node.args;
  throw checker.createError('invalid_macro_argument', 'argument must be a simple name', node as ASTNode);
};

const rangeOf = (checker: Checker, receiver: ASTNode, scope: Scope): readonly [key: Type, value: Type] => {
  const range = checker.check(receiver, scope);
  const dyn = checker.getType('dyn');
  if (range.kind === 'list') return [checker.getType('int'), range.valueType ?? dyn];
  if (range.kind === 'map') return [range.keyType ?? dyn, range.valueType ?? dyn];
  if (range.kind === 'dyn') return [dyn, dyn];
  const found = checker.formatType(range);
  throw checker.createError(
    'invalid_comprehension_range',
    `Expression of type '${found}' cannot be range of a comprehension (must be list, map, or dynamic).`,
    receiver,
  );
};

const entriesOf = (value: unknown): readonly Entry[] => {
  if (Array.isArray(value)) return value.map((item, at): Entry => [BigInt(at), item]);
  if (value instanceof Map) return [...value.entries()];
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.entries(value);
  }
  throw new CelValueError('no such overload');
};

const asBool = (value: unknown): boolean => {
  if (typeof value === 'boolean') return value;
  throw new CelValueError('no such overload');
};

/** What a macro does with the entries: `run` computes an argument for one of them. */
interface OverEntries {
  /** @param types those of the arguments after the two names. */
  type(checker: Checker, types: readonly Type[], key: Type): Type;
  result(entries: readonly Entry[], run: (argument: number, entry: Entry) => unknown): unknown;
  /** Which of the arguments are conditions, by their place after the names. */
  readonly conditions: readonly number[];
}

const overEntries =
  ({ type, result, conditions }: OverEntries) =>
  ({ args, receiver }: Call): Macro => {
    const [first, second, ...rest] = args;
    let outer: Scope | undefined;
    let inner: Scope | undefined;
    return {
      async: false,
      typeCheck: (checker, _, scope) => {
        const [key, value] = rangeOf(checker, receiver, scope);
        outer = scope.forkWithVariable(nameOf(first, checker), key);
        const within = outer.forkWithVariable(nameOf(second, checker), value);
        inner = within;
        const types = rest.map((argument) => checker.check(argument, within));
        for (const at of conditions) {
          const found = types[at];
          if (found === undefined || found.isDynOrBool()) continue;
          const words = `predicate must return bool, got '${checker.formatType(found)}'`;
          throw checker.createError('invalid_condition_type', words, rest[at] as ASTNode);
        }
        return type(checker, types, key);
      },
      evaluate: (evaluator, _, scope) => {
        const run = (argument: number, [key, value]: Entry): unknown => {
          const node = rest[argument];
          if (node === undefined || outer === undefined || inner === undefined) throw new CelValueError('unchecked');
          const keyed = outer.reuse(scope).setIterValue(key, evaluator);
          return evaluator.run(node, inner.reuse(keyed).setIterValue(value, evaluator));
        };
        return result(entriesOf(evaluator.run(receiver, scope)), run);
      },
    };
  };

/** One entry decides, whatever fails elsewhere. */
const quantifier = (decisive: boolean): OverEntries => ({
  conditions: [0],
  type: (checker) => checker.getType('bool'),
  result: (entries, run) => {
    const failures: unknown[] = [];
    for (const entry of entries) {
      try {
        if (asBool(run(0, entry)) === decisive) return decisive;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return !decisive;
  },
});

const exactlyOne: OverEntries = {
  conditions: [0],
  type: (checker) => checker.getType('bool'),
  result: (entries, run) => entries.filter((entry) => asBool(run(0, entry))).length === 1,
};

const typeName = (checker: Checker, type: Type | undefined): string =>
  type === undefined ? 'dyn' : checker.formatType(type);

const transform = (
  filtered: boolean,
  type: OverEntries['type'],
  build: (made: readonly Entry[]) => unknown,
): OverEntries => ({
  conditions: filtered ? [0] : [],
  type: (checker, types, key) => type(checker, filtered ? types.slice(1) : types, key),
  result: (entries, run) => {
    const kept = filtered ? entries.filter((entry) => asBool(run(0, entry))) : entries;
    return build(kept.map((entry): Entry => [entry[0], run(filtered ? 1 : 0, entry)]));
  },
});

const toMap = (entries: readonly Entry[]): unknown =>
  entries.every(([key]) => typeof key === 'string')
    ? Object.fromEntries(entries as readonly (readonly [string, unknown])[])
    : new Map(entries);

const mergedMaps = (maps: readonly unknown[]): unknown => {
  const merged = new Map<unknown, unknown>();
  for (const [key, value] of maps.flatMap(entriesOf)) {
    if (merged.has(key)) throw new CelValueError(`insert failed: key ${String(key)} already exists`);
    merged.set(key, value);
  }
  return toMap([...merged]);
};

const transforms = (filtered: boolean): Readonly<Record<string, OverEntries>> => ({
  transformList: transform(
    filtered,
    (checker, [item]) => checker.getType(`list<${typeName(checker, item)}>`),
    (made) => made.map(([, item]) => item),
  ),
  transformMap: transform(
    filtered,
    (checker, [item], key) => checker.getType(`map<${typeName(checker, key)}, ${typeName(checker, item)}>`),
    toMap,
  ),
  transformMapEntry: transform(
    filtered,
    (checker, [item]) => checker.getType(item?.kind === 'map' ? typeName(checker, item) : 'map<dyn, dyn>'),
    (made) => mergedMaps(made.map(([, map]) => map)),
  ),
});

const sortBy = ({ args, receiver }: Call): Macro => {
  const [name, key] = args;
  let inner: Scope | undefined;
  return {
    async: false,
    typeCheck: (checker, _, scope) => {
      const [, item] = rangeOf(checker, receiver, scope);
      inner = scope.forkWithVariable(nameOf(name, checker), item);
      checker.check(key as ASTNode, inner);
      return checker.check(receiver, scope);
    },
    evaluate: (evaluator, _, scope) => {
      const keyed = entriesOf(evaluator.run(receiver, scope)).map(([, item]) => {
        const within = (inner as Scope).reuse(scope).setIterValue(item, evaluator);
        return { item, key: evaluator.run(key as ASTNode, within) };
      });
      keyed.sort((a, b) => (celEqual(a.key, b.key) ? 0 : celLess(a.key, b.key) ? -1 : 1));
      return keyed.map(({ item }) => item);
    },
  };
};

/** `x.optMap(v, f)` and, where `f` itself gives an optional, `x.optFlatMap(v, f)`. */
const onOptional =
  (optional: typeof OptionalValue, flat: boolean) =>
  ({ args, receiver }: Call): Macro => {
    const [name, body] = args;
    let inner: Scope | undefined;
    return {
      async: false,
      typeCheck: (checker, _, scope) => {
        const held = checker.check(receiver, scope);
        const value = (held.kind === 'optional' ? held.valueType : undefined) ?? checker.getType('dyn');
        inner = scope.forkWithVariable(nameOf(name, checker), value);
        const type = checker.check(body as ASTNode, inner);
        if (!flat) return checker.getType(`optional<${typeName(checker, type)}>`);
        return type.kind === 'optional' ? type : checker.getType('optional<dyn>');
      },
      evaluate: (evaluator, _, scope) => {
        const held = evaluator.run(receiver, scope);
        if (!(held instanceof optional)) throw new CelValueError('no such overload');
        if (!held.hasValue()) return optional.none();
        const within = (inner as Scope).reuse(scope).setIterValue(held.value(), evaluator);
        const result = evaluator.run(body as ASTNode, within);
        if (!flat) return optional.of(result);
        if (result instanceof optional) return result;
        throw new CelValueError('no such overload');
      },
    };
  };

export const registerComprehensions = (env: Environment, optional: typeof OptionalValue): void => {
  env.registerFunction('list.all(ast, ast, ast): bool', overEntries(quantifier(false)));
  env.registerFunction('list.exists(ast, ast, ast): bool', overEntries(quantifier(true)));
  env.registerFunction('list.existsOne(ast, ast, ast): bool', overEntries(exactlyOne));
  env.registerFunction('list.exists_one(ast, ast, ast): bool', overEntries(exactlyOne));
  for (const [name, over] of Object.entries(transforms(false))) {
    env.registerFunction(`list.${name}(ast, ast, ast): dyn`, overEntries(over));
  }
  for (const [name, over] of Object.entries(transforms(true))) {
    env.registerFunction(`list.${name}(ast, ast, ast, ast): dyn`, overEntries(over));
  }
  env.registerFunction('list.sortBy(ast, ast): dyn', sortBy);
  env.registerFunction('optional.optMap(ast, ast): dyn', onOptional(optional, false));
  env.registerFunction('optional.optFlatMap(ast, ast): dyn', onOptional(optional, true));
};
