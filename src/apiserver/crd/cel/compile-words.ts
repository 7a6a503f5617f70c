import type { ASTNode } from '@marcbachmann/cel-js';

/** What cel-go says of an expression that doesn't compile, out of what cel-js says of it. */

interface Fault {
  readonly code?: string;
  readonly summary?: string;
  readonly range?: { readonly start: number; readonly end: number };
  readonly node?: ASTNode;
}

const EXPRESSION_STARTS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** A complaint in the form of cel-go's error lists: place, words, and the expression with a mark under the place. */
export const located = (expression: string, position: number, words: string): string => {
  const before = expression.slice(0, position).split('\n');
  const column = (before.at(-1) ?? '').length;
  const line = expression.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${words}\n | ${line}\n | ${'.'.repeat(column)}^`;
};

const undeclared = (name: string): string => `undeclared reference to '${name}' (in container '')`;

const overload = (summary: string): string | undefined => {
  const operator = /^no such overload: (.+) (==|!=|<=|>=|<|>|\+|-|\*|\/|%|in|&&|\|\|) (.+)$/.exec(summary);
  if (operator === null) return undefined;
  const [, left, sign, right] = operator;
  return `found no matching overload for '${sign === 'in' ? '@in' : `_${sign}_`}' applied to '(${left}, ${right})'`;
};

/** `isFunction` tells functions that are called with other arguments from those that don't exist. */
const callWords = (summary: string, isFunction: (name: string) => boolean): string => {
  const call = /^found no matching overload for '(?:(.+)\.)?([\w]+)\((.*)\)'$/.exec(summary);
  if (call === null) return summary;
  const [, receiver, name = '', parameters = ''] = call;
  if (!isFunction(name)) return undeclared(name);
  return `found no matching overload for '${name}' applied to '${receiver ? `${receiver}.` : ''}(${parameters})'`;
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

/** The message of a failed compilation. @throws what is no complaint of cel-js. */
export const compileWords = (
  expression: string,
  error: unknown,
  isFunction: (name: string) => boolean = () => true,
): string => {
  if (!(error instanceof Error)) throw error;
  const fault = error as Fault;
  const { code, summary = error.message } = fault;
  if (error.name === 'ParseError') {
    const atEnd = summary === 'Unexpected token: EOF';
    const words = atEnd ? `mismatched input '<EOF>' expecting ${EXPRESSION_STARTS}` : summary;
    return located(expression, fault.range?.start ?? 0, `Syntax error: ${words}`);
  }
  const at = positionOf(fault, expression);
  if (code === 'unknown_variable') {
    return located(expression, at, undeclared(summary.replace('Unknown variable: ', '')));
  }
  if (code === 'no_such_key')
    return located(expression, at, `undefined field '${summary.replace('No such key: ', '')}'`);
  if (code === 'no_matching_overload') return located(expression, at, callWords(summary, isFunction));
  return located(expression, at, overload(summary) ?? summary);
};
