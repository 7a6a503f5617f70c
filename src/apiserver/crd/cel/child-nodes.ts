import type { ASTNode } from '@marcbachmann/cel-js';

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value;

/** The nodes directly below an AST node, wherever its arguments nest them. */
export const childNodes = (node: ASTNode): readonly ASTNode[] => {
  const collect = (value: unknown): readonly ASTNode[] => {
    if (isNode(value)) return [value];
    return Array.isArray(value) ? value.flatMap(collect) : [];
  };
  return collect(node.args);
};
