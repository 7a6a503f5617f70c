import type { ASTNode } from '@marcbachmann/cel-js';
import { goRegexp } from '../../validation/go-regexp.ts';
import { childNodes } from './child-nodes.ts';

/** How the texts of literals are read. */
export interface LiteralReaders {
  readDuration(text: string): unknown;
  isTimestamp(text: string): boolean;
}

export interface LiteralFault {
  readonly code: 'invalid_literal';
  readonly summary: string;
  readonly range: { readonly start: number; readonly end: number };
}

const isRegexp = (pattern: string): boolean => {
  try {
    goRegexp(pattern);
    return true;
  } catch {
    return false;
  }
};

const textOf = (node: ASTNode | undefined): string | undefined =>
  node?.op === 'value' && typeof node.args === 'string' ? node.args : undefined;

const faultOf = (node: ASTNode, readers: LiteralReaders): readonly LiteralFault[] => {
  if (node.op !== 'call' && node.op !== 'rcall') return [];
  const [name] = node.args;
  const argument = node.op === 'call' ? node.args[1][0] : node.args[2][0];
  const text = textOf(argument);
  if (argument === undefined || text === undefined) return [];
  const right =
    node.op === 'rcall'
      ? name !== 'matches' || isRegexp(text)
      : (name !== 'duration' || readers.readDuration(text) !== text) &&
        (name !== 'timestamp' || readers.isTimestamp(text));
  if (right) return [];
  const { start, end } = argument;
  return [{ code: 'invalid_literal', summary: `invalid ${name} argument`, range: { start, end } }];
};

/** Literals that can't be what they are taken for: durations, timestamps and patterns (apiserver cel/environment's validators). */
export const literalFaults = (ast: ASTNode, readers: LiteralReaders): readonly LiteralFault[] => [
  ...faultOf(ast, readers),
  ...childNodes(ast).flatMap((node) => literalFaults(node, readers)),
];
