import type { ConditionTypes } from './conditions.ts';

export const LAUNCHED = 'Launched';
export const REGISTERED = 'Registered';
export const INITIALIZED = 'Initialized';
export const CONSOLIDATABLE = 'Consolidatable';
export const DRIFTED = 'Drifted';
export const DRAINED = 'Drained';
export const VOLUMES_DETACHED = 'VolumesDetached';
export const INSTANCE_TERMINATING = 'InstanceTerminating';
export const CONSISTENT_STATE_FOUND = 'ConsistentStateFound';
export const DISRUPTION_REASON = 'DisruptionReason';
export const READY = 'Ready';

export const VALIDATION_SUCCEEDED = 'ValidationSucceeded';
export const NODE_CLASS_READY = 'NodeClassReady';
export const NODE_REGISTRATION_HEALTHY = 'NodeRegistrationHealthy';

/** Conditions of a NodeClaim (karpenter-core.md 1.6). */
export const NODE_CLAIM_CONDITIONS: ConditionTypes = { root: READY, dependents: [LAUNCHED, REGISTERED, INITIALIZED] };

/** Conditions of a NodeOverlay (karpenter-core.md 1.7). */
export const NODE_OVERLAY_CONDITIONS: ConditionTypes = { root: READY, dependents: [VALIDATION_SUCCEEDED] };

/** Conditions of a NodePool (karpenter-core.md 1.3). */
export const NODE_POOL_CONDITIONS: ConditionTypes = {
  root: READY,
  dependents: [VALIDATION_SUCCEEDED, NODE_CLASS_READY],
};
