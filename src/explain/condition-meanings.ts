/** What the conditions of NodeClaims and NodePools mean, and what to look at when they are not as they should be. */

export interface ConditionMeaning {
  /** In words, by status. */
  readonly True: string;
  readonly False: string;
  readonly Unknown: string;
  /** The status of a healthy, settled object; absent when any is fine. */
  readonly healthy?: 'True' | 'False';
  /** What to look at when it isn't healthy. */
  readonly next?: string;
}

export const NODE_CLAIM_CONDITIONS: Readonly<Record<string, ConditionMeaning>> = {
  Launched: {
    True: 'the provider has created the instance',
    False: 'the provider refused to create the instance',
    Unknown: 'the instance is being created',
    healthy: 'True',
    next: 'the events of the NodeClaim, and explain nodeclass for its node class',
  },
  Registered: {
    True: 'the node has joined the cluster',
    False: 'the node has not joined the cluster',
    Unknown: 'the instance exists, the node has not joined yet',
    healthy: 'True',
    next: 'whether the instance can reach the API server; the claim is given up 15 minutes after its creation',
  },
  Initialized: {
    True: 'the node is ready and takes pods',
    False: 'the node is not initialized',
    Unknown: 'the node has joined but is not ready, still has start-up taints, or lacks a resource that it should have',
    healthy: 'True',
    next: 'kubectl describe node: its Ready condition, its taints and its allocatable resources',
  },
  Consolidatable: {
    True: 'consolidateAfter has passed since the last pod came or went',
    False: 'pods came or went within consolidateAfter',
    Unknown: 'it is not known yet whether consolidateAfter has passed',
  },
  Drifted: {
    True: 'the node no longer matches its NodePool or node class and will be replaced when budgets allow',
    False: 'the node matches its NodePool and node class',
    Unknown: 'it is not known yet whether the node has drifted',
    healthy: 'False',
    next: 'explain node, for what keeps the replacement from happening',
  },
  DisruptionReason: {
    True: 'a disruption of this node is under way',
    False: 'no disruption is under way',
    Unknown: 'no disruption is under way',
  },
  Drained: {
    True: 'all pods have left the node',
    False: 'the node could not be drained',
    Unknown: 'the node is being drained',
    next: 'pods on the node whose PodDisruptionBudget or finalizer keeps them',
  },
  VolumesDetached: {
    True: 'all volumes have been detached',
    False: 'waiting for volumes was given up',
    Unknown: 'volumes are being detached',
  },
  InstanceTerminating: {
    True: 'the provider is terminating the instance',
    False: 'the instance is not being terminated',
    Unknown: 'the instance is not being terminated',
  },
  ConsistentStateFound: {
    True: 'node and claim agree with each other',
    False: 'node and claim disagree',
    Unknown: 'node and claim have not been compared yet',
    healthy: 'True',
    next: 'the message of this condition: a resource or a taint of the node differs from the claim',
  },
  Ready: {
    True: 'launched, registered and initialized',
    False: 'one of the steps above failed',
    Unknown: 'not all steps above are done',
    healthy: 'True',
  },
};

export const NODE_POOL_CONDITIONS: Readonly<Record<string, ConditionMeaning>> = {
  ValidationSucceeded: {
    True: 'the spec is valid',
    False: 'the spec is invalid and nothing is launched from it',
    Unknown: 'the spec has not been checked yet',
    healthy: 'True',
    next: 'the message: it names the field',
  },
  NodeClassReady: {
    True: 'the node class is ready',
    False: 'the node class is missing, being deleted or not ready',
    Unknown: 'the node class has not reported yet',
    healthy: 'True',
  },
  NodeRegistrationHealthy: {
    True: 'its latest nodes have joined',
    False: 'its latest nodes were launched but did not join',
    Unknown: 'too few launches to tell',
    next: 'explain nodeclaim, for one that is not registered',
  },
  Ready: {
    True: 'pods may be given nodes of this pool',
    False: 'no node is launched from this pool',
    Unknown: 'it is not known yet whether the pool can be used',
    healthy: 'True',
  },
};
