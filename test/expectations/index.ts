export { applied, patched } from './apply.ts';
export { eventually } from './eventually.ts';
export { conditionsOf, eventsSoFar, running, type Snapshot, snapshot } from './snapshot.ts';
