/** What the process answers to its caller. Documented in `kubectl karpenter help exit-codes`. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** It worked, and the answer is no. */
  negative: 3,
  timeout: 4,
  interrupted: 130,
  terminated: 143,
} as const;
