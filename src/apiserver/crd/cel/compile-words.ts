import type { ASTNode } from '@marcbachmann/cel-js';
import { CompileFaults } from './compile-faults.ts';
import { goTypeName, goTypeNames } from './go-type-name.ts';
import { located, syntaxWords } from './syntax-words.ts';

/** What cel-go says of an expression that doesn't compile, out of what cel-js says of it. */

interface Fault {
  readonly code?: string;
  readonly summary?: string;
  readonly range?: { readonly start: number; readonly end: number };
  readonly node?: ASTNode;
}

const undeclared = (name: string): string => `undeclared reference to '${name}' (in container '')`;

const overload = (summary: string): string | undefined => {
  const unary = /^no such overload: ([!-])(\w.*)$/.exec(summary);
  if (unary !== null) return noOverload(`${unary[1] ?? ''}_`, unary[2] ?? '');
  const operator = /^no such overload: (.+) (==|!=|<=|>=|<|>|\+|-|\*|\/|%|in|&&|\|\|) (.+)$/.exec(summary);
  if (operator === null) return undefined;
  const [, left, sign, right] = operator;
  return noOverload(sign === 'in' ? '@in' : `_${sign}_`, `${left}, ${right}`);
};

const noOverload = (name: string, types: string): string =>
  `found no matching overload for '${name}' applied to '(${shownTypes(types)})'`;

/** In complaints, cel-go calls these by their short names. */
const shownTypes = (types: string): string =>
  goTypeNames(types).replaceAll(/google\.protobuf\.(Duration|Timestamp)/g, (_, name: string) => name.toLowerCase());

/** `isFunction` tells functions that are called with other arguments from those that don't exist. */
const callWords = (summary: string, isFunction: (name: string) => boolean): string => {
  const call = /^found no matching overload for '(?:(.+)\.)?([\w]+)\((.*)\)'$/.exec(summary);
  if (call === null) return summary;
  const [, receiver, name = '', parameters = ''] = call;
  if (!isFunction(name)) return undeclared(name);
  return `found no matching overload for '${name}' applied to '${receiver ? `${goTypeName(receiver)}.` : ''}(${goTypeNames(parameters)})'`;
};

/** Where cel-go puts its mark: at the dot of a selection, at the operator, at the parenthesis of a call. */
const positionOf = ({ code, range, node }: Fault, expression: string): number => {
  const start = range?.start ?? 0;
  if (code === 'no_such_key') return Math.max(0, expression.lastIndexOf('.', start));
  const args: unknown = node?.args;
  if (node !== undefined && Array.isArray(args) && node.op !== 'call' && node.op !== 'rcall') {
    const [left] = args as readonly { readonly end?: number }[];
    if (left?.end !== undefined) return left.end + (/^\s*/.exec(expression.slice(left.end))?.[0].length ?? 0);
  }
  if (node?.op === 'call') return start + node.args[0].length;
  if (node?.op === 'rcall') {
    const dot = expression.indexOf(`.${node.args[0]}`, node.args[1].end);
    return dot < 0 ? start : dot + node.args[0].length + 1;
  }
  return start;
};

interface TypeWords {
  readonly words: string;
  /** Where, if not where other complaints about the node go. */
  readonly at?: number | undefined;
}

const typeOf = (node: unknown): string =>
  (node as { checkedType?: { name?: string } } | undefined)?.checkedType?.name ?? 'dyn';

const operandsOf = (node: ASTNode | undefined): readonly ASTNode[] => {
  const args: unknown = node?.args;
  return Array.isArray(args) ? (args as readonly ASTNode[]) : [];
};

const notBool = (found: string): string => `expected type 'bool' but found '${goTypeName(found)}'`;

/** What doesn't fit by its type. */
const typeWords = ({ code, node, range }: Fault, summary: string): TypeWords | undefined => {
  const operands = operandsOf(node);
  const types = operands.map(typeOf);
  switch (code) {
    case 'heterogeneous_list_element':
    case 'heterogeneous_map_key':
    case 'heterogeneous_map_value': {
      const words = summary.replace(/^.*?, (?=expected type)/, '');
      return { words: words.replaceAll(/'([^']*)'/g, (_, type: string) => `'${goTypeName(type)}'`) };
    }
    case 'invalid_logical_operand': {
      const at = types.findIndex((type) => type !== 'bool' && type !== 'dyn');
      return { words: notBool(types[at] ?? 'dyn'), at: operands[at]?.start };
    }
    case 'incompatible_ternary_branches':
      return { words: noOverload('_?_:_', types.join(', ')) };
    case 'invalid_condition_type': {
      const found = /got '(.*)'$/.exec(summary)?.[1] ?? 'dyn';
      return { words: notBool(found), at: range?.start };
    }
    case 'invalid_comprehension_range':
      return { words: summary.replace(/^E/, 'e').replace(/\.$/, '') };
    case 'invalid_index_type':
    case 'cannot_index_type': {
      const [left = 'dyn'] = types;
      if (node?.op === '.') return { words: `type '${goTypeName(left)}' does not support field selection` };
      return { words: noOverload('_[_]', types.join(', ')) };
    }
    case 'invalid_macro_argument':
      return summary === 'has() invalid argument' ? { words: 'invalid argument to has() macro' } : undefined;
    default:
      return undefined;
  }
};

/** The message of a failed compilation. @throws what is no complaint of cel-js. */
export const compileWords = (
  expression: string,
  error: unknown,
  isFunction: (name: string) => boolean = () => true,
): string => {
  const faults = error instanceof CompileFaults ? error.faults : [error];
  const complaints = faults.map((fault) => complaint(expression, fault, isFunction));
  return [...new Set(complaints.toSorted(byPlace))].join('\n');
};

const byPlace = (left: string, right: string): number => {
  const [line = 0, column = 0] = placeOf(left);
  const [otherLine = 0, otherColumn = 0] = placeOf(right);
  return line - otherLine || column - otherColumn;
};

const placeOf = (words: string): readonly number[] => (/<input>:(\d+):(\d+)/.exec(words) ?? []).slice(1).map(Number);

const complaint = (expression: string, error: unknown, isFunction: (name: string) => boolean): string => {
  const fault = error as Fault & { readonly message?: string };
  const { code, summary = fault.message ?? '' } = fault;
  if (code === undefined) throw error;
  if (error instanceof Error && error.name === 'ParseError')
    return syntaxWords(expression, fault.range?.start ?? 0, summary);
  const at = positionOf(fault, expression);
  if (code === 'unknown_variable') {
    return located(expression, at, undeclared(summary.replace('Unknown variable: ', '')));
  }
  if (code === 'no_such_key')
    return located(expression, at, `undefined field '${summary.replace('No such key: ', '')}'`);
  if (code === 'no_matching_overload') return located(expression, at, callWords(summary, isFunction));
  const typed = typeWords(fault, summary);
  if (typed !== undefined) return located(expression, typed.at ?? at, typed.words);
  return located(expression, at, overload(summary) ?? summary);
};
