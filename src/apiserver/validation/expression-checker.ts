/** What an expression may use, and what it has to come to. */
export interface ExpressionUse {
  /** The types it may have, in cel-js' names; any where there are none. */
  readonly returns: readonly string[];
  readonly params?: boolean;
  readonly authorizer?: boolean;
  /** `Object{…}` and `JSONPatch{…}`. */
  readonly patches?: boolean;
}

/** Expressions that share variables. */
export interface ComposedExpressions {
  /** Defines a variable for those that follow. Returns what is wrong with it, if anything. */
  define(name: string, expression: string): string | undefined;
  /** What is wrong with an expression, in kube-apiserver's words; undefined if nothing is. */
  fault(expression: string, use: ExpressionUse): string | undefined;
}

/** Checks the CEL expressions of built-in kinds before they are stored. */
export interface ExpressionChecker {
  /** @param composed whether expressions can use variables at all. */
  composed(params: boolean, composed: boolean): ComposedExpressions;
  /** What is wrong with a selector of devices. */
  deviceFault(expression: string): string | undefined;
}
