import type { ASTNode, Environment } from '@marcbachmann/cel-js';

/** Everything that is wrong with an expression, each as cel-js tells it. */
export class CompileFaults extends Error {
  override readonly name = 'CompileFaults';
  readonly faults: readonly unknown[];

  constructor(faults: readonly unknown[]) {
    const [first] = faults;
    super(first instanceof Error ? first.message : String(first));
    this.faults = faults;
  }
}

type Program = ReturnType<Environment['parse']>;

const MOST = 100;

/** cel-js stops at the first fault: what is at fault then counts as of any type, and the check goes on. */
export const allFaults = (program: Program, first: unknown, anyType: unknown): readonly unknown[] => {
  const faults = [first];
  const settled = new Set<ASTNode>();
  for (let fault = first; faults.length < MOST; ) {
    const { node } = fault as { readonly node?: ASTNode & { checkedType?: unknown } };
    if (node === undefined || settled.has(node)) break;
    settled.add(node);
    node.checkedType = anyType;
    const { valid, error } = program.check();
    if (valid || error === undefined) break;
    fault = error;
    if (!settled.has((error as { readonly node?: ASTNode }).node as ASTNode)) faults.push(error);
  }
  return faults;
};
