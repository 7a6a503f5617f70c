export { applied, patched } from './apply.ts';
export { eventually } from './eventually.ts';
export { sample, samples } from './metrics.ts';
export { conditionsOf, eventsSoFar, running, type Snapshot, snapshot } from './snapshot.ts';
