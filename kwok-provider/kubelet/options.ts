/** How the fake kubelets behave; all times in milliseconds. */
export interface NodeAgentOptions {
  /** From the creation of a Node object until its kubelet reports Ready. */
  readonly nodeReadyMs: number;
  /** From the binding of a pod until its containers run, its init containers not counted. */
  readonly podStartMs: number;
  /** How long each init container runs. */
  readonly initContainerMs: number;
  /** How long a pod of a Job runs before it succeeds. */
  readonly jobPodMs: number;
  /** How long a deleted pod takes to stop, if its grace period is not shorter. */
  readonly podStopMs: number;
  /** Deleted pods live to the very end of their grace period, as the most stubborn of programs would. */
  readonly liveOutGrace: boolean;
  /**
   * Between two renewals of a node's lease; doubled above 1,000 nodes, which the 40 s of a lease still allow. 0: no leases,
   * for simulated time; the control plane's grace for nodes must then be without end.
   */
  readonly leaseRenewMs: number;
  /** Between two reports of unchanged node conditions. */
  readonly heartbeatMs: number;
}

/** As kwok's fast stages, but that pods take a moment to stop and Jobs a moment to run, so that both can be seen. */
export const DEFAULT_NODE_AGENT_OPTIONS: NodeAgentOptions = {
  nodeReadyMs: 0,
  podStartMs: 0,
  initContainerMs: 0,
  jobPodMs: 5_000,
  podStopMs: 1_000,
  liveOutGrace: false,
  leaseRenewMs: 10_000,
  heartbeatMs: 300_000,
};
