/** A claim is given up when it has had no instance for this long (karpenter-core.md 5.5). */
export const LAUNCH_MS = 300_000;
/** And when its instance has not joined the cluster for this long. */
export const REGISTRATION_MS = 900_000;
