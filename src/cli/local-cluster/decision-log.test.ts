import { describe, expect, it } from 'vitest';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { Condition, ObjectMeta } from '../../kube/objects.ts';
import { styleFor } from '../style.ts';
import { decisionLine } from './decision-log.ts';

const style = styleFor({ color: false, live: false, unicode: false, width: 80 });
const created = '2026-03-01T12:00:00Z';
const context = { style, instanceTypes: [], now: () => Date.parse(created) + 3_000 };

function claim(conditions: readonly [string, string?][] = [], metadata: Partial<ObjectMeta> = {}): NodeClaim {
  return {
    metadata: { name: 'a', creationTimestamp: created, labels: { 'karpenter.sh/nodepool': 'default' }, ...metadata },
    spec: {
      requirements: [],
      nodeClassRef: { group: 'g', kind: 'k', name: 'n' },
      resources: { requests: { cpu: '3', memory: '1Gi', pods: '3' } },
    },
    status: {
      nodeName: 'node-a',
      conditions: conditions.map(
        ([type, reason]): Condition => ({ type, status: 'True', ...(reason ? { reason } : {}) }),
      ),
    },
  };
}

const update = (old: NodeClaim, object: NodeClaim) => decisionLine({ type: 'Updated', old, object }, context);

describe('a line about a NodeClaim', () => {
  it('says what it is for when it appears', () => {
    expect(decisionLine({ type: 'Added', object: claim() }, context)).toContain(
      'nodeclaim/a  wanted by NodePool default for 3 cpu, 1Gi memory, 3 pods',
    );
  });

  it('says that nobody wanted it when it was made by hand', () => {
    expect(decisionLine({ type: 'Added', object: claim([], { labels: {} }) }, context)).toContain('of no NodePool');
  });

  it('says what was launched', () => {
    const labels = { 'node.kubernetes.io/instance-type': 's-4x', 'topology.kubernetes.io/zone': 'z1' };
    expect(update(claim(), claim([['Launched']], { labels }))).toContain('launched s-4x, z1');
  });

  it('says when its node is ready, and after how long', () => {
    expect(update(claim([['Launched']]), claim([['Launched'], ['Initialized']]))).toContain(
      'node/node-a ready after 3s',
    );
  });

  it('says why it goes', () => {
    const reason: [string, string] = ['DisruptionReason', 'Underutilized'];
    const before = claim([['Launched']]);
    expect(update(before, claim([['Launched'], reason]))).toContain('its pods fit elsewhere for less');
    expect(update(claim([reason]), claim([reason], { deletionTimestamp: created }))).toContain(
      'draining, underutilized',
    );
    expect(update(before, claim([['Launched']], { deletionTimestamp: created }))).toContain('draining, deleted');
  });

  it('is not written for anything else', () => {
    expect(update(claim([['Launched']]), claim([['Launched'], ['Registered']]))).toBeUndefined();
    expect(decisionLine({ type: 'Added', object: claim([['Launched']]) }, context)).toBeUndefined();
  });
});
