import type { ASTNode } from '@marcbachmann/cel-js';
import type { Structural } from '../structural.ts';
import { childNodes } from './child-nodes.ts';
import { celIdentifier } from './identifiers.ts';

/** A field that an expression asks of an object whose schema has no such field. */
export interface UndefinedField {
  readonly name: string;
  /** Of the dot before it, in characters from the start of the expression. */
  readonly position: number;
}

interface Shape {
  readonly schema: Structural;
  /** Whether type and metadata of an object are visible too. */
  readonly resource: boolean;
}

/** What is known of the variables in scope; absent: anything goes. */
type Scope = ReadonlyMap<string, Shape | undefined>;

const LOOPS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne', 'filter', 'map']);

/** Looks for field selections that the schema of `self` rules out (what cel-go's type checker calls an undefined field). */
export const findUndefinedField = (
  ast: ASTNode,
  schema: Structural,
  resource: boolean,
  oldSelf: boolean,
): UndefinedField | undefined => {
  const root: Shape = { schema, resource };
  const scope = new Map<string, Shape | undefined>([['self', root]]);
  if (oldSelf) scope.set('oldSelf', root);
  const found: UndefinedField[] = [];
  infer(ast, scope, found);
  return found[0];
};

const itemOf = (shape: Shape | undefined): Shape | undefined => {
  const inner = shape?.schema.items;
  return inner === undefined ? undefined : { schema: inner, resource: inner.embedded };
};

const infer = (node: ASTNode, scope: Scope, found: UndefinedField[]): Shape | undefined => {
  if (node.op === 'id') return scope.get(node.args);
  if (node.op === '.') return select(node, node.args[0], node.args[1], scope, found);
  if (node.op === '[]') {
    const target = infer(node.args[0], scope, found);
    infer(node.args[1], scope, found);
    const additional = target?.schema.additional;
    return additional === undefined ? itemOf(target) : { schema: additional, resource: additional.embedded };
  }
  if (node.op === 'rcall') {
    const [name, target, args] = node.args;
    const shape = infer(target, scope, found);
    const [variable] = args;
    if (LOOPS.has(name) && variable?.op === 'id') {
      const inner = new Map(scope).set(variable.args, itemOf(shape));
      for (const arg of args.slice(1)) infer(arg, inner, found);
      return name === 'filter' ? shape : undefined;
    }
    for (const arg of args) infer(arg, scope, found);
    return undefined;
  }
  for (const inner of childNodes(node)) infer(inner, scope, found);
  return undefined;
};

const select = (
  node: ASTNode,
  targetNode: ASTNode,
  name: string,
  scope: Scope,
  found: UndefinedField[],
): Shape | undefined => {
  const target = infer(targetNode, scope, found);
  if (target === undefined || target.schema.types[0] !== 'object') return undefined;
  const { schema, resource } = target;
  if (schema.additional !== undefined) return { schema: schema.additional, resource: schema.additional.embedded };
  for (const [property, inner] of schema.properties) {
    if (celIdentifier(property) === name) return { schema: inner, resource: inner.embedded };
  }
  if (resource && (name === 'metadata' || name === 'kind' || name === 'apiVersion')) return undefined;
  const position = node.input.indexOf('.', targetNode.end);
  found.push({ name, position: position < 0 ? node.pos : position });
  return undefined;
};
