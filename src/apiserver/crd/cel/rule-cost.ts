import type { ASTNode } from '@marcbachmann/cel-js';
import type { Structural } from '../structural.ts';
import { childNodes } from './child-nodes.ts';

/**
 * How often a rule may have to go round, at the least that kube-apiserver's estimate comes to: the product of the sizes of
 * the lists and maps it loops over. What the operations inside of a loop cost is left out, so that no rule is refused that
 * kube-apiserver accepts.
 */
export const estimateCost = (ast: ASTNode, schema: Structural): number => costOf(ast, new Map([['self', schema]])).cost;

/** One request has at most so many bytes. */
const MAX_REQUEST = 3 * 1024 * 1024;

const LOOPS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne', 'filter', 'map']);

/** The least number of bytes that a value takes as JSON. */
const minSize = (schema: Structural): number => {
  if (schema.intOrString) return 1;
  const [type] = schema.types;
  if (type !== 'object') return type === 'integer' || type === 'number' ? 1 : type === 'boolean' ? 4 : 2;
  let size = 2;
  for (const name of schema.source.required ?? []) {
    const property = schema.properties.get(name);
    if (property !== undefined && property.defaultValue === undefined) size += name.length + minSize(property) + 4;
  }
  return size;
};

/** How many elements a list or map may have. */
const maxElements = (schema: Structural): number => {
  const { maxItems, maxProperties } = schema.source;
  if (schema.items !== undefined) return maxItems ?? Math.floor((MAX_REQUEST - 2) / (minSize(schema.items) + 1));
  if (schema.additional === undefined) return 1;
  return maxProperties ?? Math.floor((MAX_REQUEST - 2) / (minSize(schema.additional) + 6));
};

/** How many times the values of a schema node may occur, by the limits of the lists and maps above it. */
export const childCardinality = (schema: Structural, cardinality: number): number => cardinality * maxElements(schema);

interface Cost {
  readonly cost: number;
  readonly schema: Structural | undefined;
}

type Scope = ReadonlyMap<string, Structural>;

const costOf = (node: ASTNode, scope: Scope): Cost => {
  if (node.op === 'id') return { cost: 1, schema: scope.get(node.args) };
  if (node.op === '.') {
    const target = costOf(node.args[0], scope);
    const { schema } = target;
    return { cost: target.cost + 1, schema: schema?.properties.get(node.args[1]) ?? schema?.additional };
  }
  if (node.op === 'rcall') {
    const [name, target, args] = node.args;
    const range = costOf(target, scope);
    const [variable] = args;
    if (LOOPS.has(name) && variable?.op === 'id') return loopCost(range, variable.args, args.slice(1), scope);
  }
  if (node.op === '?:') {
    const [condition, yes, no] = node.args.map((part) => costOf(part, scope).cost);
    return { cost: (condition ?? 0) + Math.max(yes ?? 0, no ?? 0), schema: undefined };
  }
  const cost = childNodes(node).reduce((sum, inner) => sum + costOf(inner, scope).cost, 1);
  return { cost, schema: undefined };
};

const loopCost = (range: Cost, variable: string, body: readonly ASTNode[], scope: Scope): Cost => {
  const { schema } = range;
  const inner = new Map(scope);
  inner.delete(variable);
  if (schema?.items !== undefined) inner.set(variable, schema.items);
  const each = body.reduce((sum, part) => sum + costOf(part, inner).cost, 0);
  const times = schema === undefined ? 1 : maxElements(schema);
  return { cost: range.cost + times * each, schema };
};
