import { expect, it } from 'vitest';
import { nodeClaim, nodePool } from '../../test/factories/index.ts';
import { ANNOTATION_NODEPOOL_HASH, LABEL_NODEPOOL } from '../apis/labels.ts';
import { explainNodeClaim } from './object-explanation.ts';

const hashed = (hash: string) => ({ annotations: { [ANNOTATION_NODEPOOL_HASH]: hash } });
const explain = (ofPool: string, ofClaim: string) => {
  const pool = nodePool({ metadata: hashed(ofPool), spec: { template: { spec: { expireAfter: '24h' } } } });
  const labels = { [LABEL_NODEPOOL]: pool.metadata.name };
  const { nodeClassRef } = pool.spec.template.spec;
  const claim = nodeClaim({ metadata: { ...hashed(ofClaim), labels }, spec: { expireAfter: '720h', nodeClassRef } });
  return explainNodeClaim({ nodeClaim: claim, nodePool: pool, events: [] });
};

it('a claim whose pool has another hash by now says which field drifted', () => {
  const { drift, notes } = explain('2', '1');
  expect(drift).toEqual([{ field: 'spec.template.spec.expireAfter', from: '720h', to: '24h' }]);
  expect(notes).toEqual(['the template of its NodePool has changed since the launch: it drifts']);
});

it('a claim with the hash of its pool has not drifted', () => {
  expect(explain('1', '1')).not.toHaveProperty('drift');
});
