import { expect, it } from 'vitest';
import type { PodError, TargetFailure } from '../scheduling/types.ts';
import { nearestMiss } from './nearest-miss.ts';

const node: TargetFailure = {
  kind: 'Node',
  name: 'x',
  reasons: [{ code: 'InsufficientResources', message: 'exceeds node resources' }],
};
const pool: TargetFailure = {
  kind: 'NodePool',
  name: 'p',
  reasons: [{ code: 'TaintNotTolerated', message: 'did not tolerate taint' }],
};
const error: PodError = { code: 'RequirementsIncompatible', message: 'incompatible; did not tolerate taint' };

it('takes code and message from the same rule of the nearest pool, though a node came nearer', () => {
  expect(nearestMiss({ ...error, targets: [node, pool] })).toEqual({
    nodePool: 'p',
    code: 'TaintNotTolerated',
    message: 'did not tolerate taint',
  });
});

it('blames no node when no pool was looked at', () => {
  expect(nearestMiss({ ...error, targets: [node] })).toEqual({ code: error.code, message: error.message });
});
