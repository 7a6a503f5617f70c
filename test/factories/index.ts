export { deployment } from './deployment.ts';
export { merge, type Overrides } from './merge.ts';
export { uniqueName } from './names.ts';
export { node } from './node.ts';
export { nodeClaim } from './node-claim.ts';
export { NODE_CLASS_REF, nodePool } from './node-pool.ts';
export { pod, requesting, unschedulablePod } from './pod.ts';
export { boundPod, disruptOptions, INSTANCE_TYPES, NOW, type RunningNode, runningNode, world } from './world.ts';
