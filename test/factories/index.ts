export { capacityBuffer } from './capacity-buffer.ts';
export { deployment } from './deployment.ts';
export type { Overrides } from './merge.ts';
export { node } from './node.ts';
export { nodeClaim } from './node-claim.ts';
export { nodeOverlay } from './node-overlay.ts';
export { nodePool } from './node-pool.ts';
export { pod, requesting, unschedulablePod } from './pod.ts';
export { boundPod, disruptOptions, NOW, runningNode, world } from './world.ts';
