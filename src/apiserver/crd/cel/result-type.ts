import type { ASTNode } from '@marcbachmann/cel-js';

/** The types of a list's functions by that of its items, which cel-js can't say without binding them too early. */
const OF_ITEMS: Readonly<Record<string, (item: string) => string>> = {
  sum: (item) => item,
  min: (item) => item,
  max: (item) => item,
  slice: (item) => `list<${item}>`,
  distinct: (item) => `list<${item}>`,
  reverse: (item) => `list<${item}>`,
  sort: (item) => `list<${item}>`,
  flatten: (item) => /^list<(.*)>$/.exec(item)?.[1] ?? item,
  first: (item) => `optional<${item}>`,
  last: (item) => `optional<${item}>`,
};

/** The type of a checked expression as cel-go infers it, where cel-js says less. */
export const resultType = (ast: ASTNode, found = 'dyn'): string => {
  const type = found.replace(/\b[A-Z]\b/g, 'dyn');
  if (ast.op !== 'rcall') return type;
  const [name, receiver, args] = ast.args;
  if (name === 'orValue' && type === 'dyn' && args[0] !== undefined) {
    return isUnsettled(receiver) ? checkedType(args[0]) : type;
  }
  const ofItems = OF_ITEMS[name];
  const item = /^list<(.*)>$/.exec(checkedType(receiver))?.[1];
  if (ofItems === undefined) return type;
  if (item !== undefined) return name === 'flatten' ? `list<${ofItems(item)}>` : ofItems(item);
  return type;
};

/** Whether an optional's type is left open, for the default to settle: `x[?'key']` is, `x.?key` may be anything. */
const isUnsettled = (node: ASTNode): boolean => {
  if (node.op === '.') return isUnsettled(node.args[0]);
  return node.op === '[?]' && /^(dyn|optional(<dyn>)?)$/.test(checkedType(node.args[0]));
};

const checkedType = (node: ASTNode): string => {
  const { checkedType: type } = node as { readonly checkedType?: { readonly name?: string } };
  return resultType(node, type?.name);
};
