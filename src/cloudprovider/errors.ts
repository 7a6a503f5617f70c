/**
 * The provider's errors that core reacts to (karpenter-core.md 0.3). Each says in front what it is, as upstream's do; a
 * provider may wrap them in errors of its own, as their `cause`.
 */

/** The instance is gone. */
export class NodeClaimNotFoundError extends Error {
  override readonly name = 'NodeClaimNotFoundError';

  constructor(message: string, options?: ErrorOptions) {
    super(`nodeclaim not found, ${message}`, options);
  }
}

/** Nothing that the claim allows can be bought. */
export class InsufficientCapacityError extends Error {
  override readonly name = 'InsufficientCapacityError';

  constructor(message: string, options?: ErrorOptions) {
    super(`insufficient capacity, ${message}`, options);
  }
}

/** The claim's node class lacks something that a launch needs. */
export class NodeClassNotReadyError extends Error {
  override readonly name = 'NodeClassNotReadyError';

  constructor(message: string, options?: ErrorOptions) {
    super(`NodeClassRef not ready, ${message}`, options);
  }
}

/** Carries the reason and message for the claim's Launched condition. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
  readonly conditionReason: string;
  readonly conditionMessage: string;

  constructor(message: string, conditionReason: string, conditionMessage: string, options?: ErrorOptions) {
    super(`creating nodeclaim, ${message}`, options);
    this.conditionReason = conditionReason;
    this.conditionMessage = conditionMessage;
  }
}

/** The overlay store has not seen this pool yet. */
export class UnevaluatedNodePoolError extends Error {
  override readonly name = 'UnevaluatedNodePoolError';
}

/** The error of this class among an error and what caused it. */
export function causeOf<E extends Error>(error: unknown, kind: abstract new (...args: never[]) => E): E | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof kind) return cause;
  return undefined;
}
