/** The provider's errors that core reacts to (karpenter-core.md 0.3). */

export class NodeClaimNotFoundError extends Error {
  override readonly name = 'NodeClaimNotFoundError';
}

export class InsufficientCapacityError extends Error {
  override readonly name = 'InsufficientCapacityError';
}

export class NodeClassNotReadyError extends Error {
  override readonly name = 'NodeClassNotReadyError';
}

/** Carries the reason and message for the claim's Launched condition. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
  readonly conditionReason: string;
  readonly conditionMessage: string;

  constructor(message: string, conditionReason: string, conditionMessage: string, options?: ErrorOptions) {
    super(message, options);
    this.conditionReason = conditionReason;
    this.conditionMessage = conditionMessage;
  }
}

/** The overlay store has not seen this pool yet. */
export class UnevaluatedNodePoolError extends Error {
  override readonly name = 'UnevaluatedNodePoolError';
}
