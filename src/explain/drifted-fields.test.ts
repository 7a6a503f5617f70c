import { expect, it } from 'vitest';
import { nodeClaim, nodePool } from '../../test/factories/index.ts';
import { requirementDrift, templateDrift } from './drifted-fields.ts';

const pool = (template: object, metadata: object = {}) =>
  nodePool({ spec: { template: { metadata, spec: template } } } as Parameters<typeof nodePool>[0]);
const wanting = (key: string, ...values: string[]) => pool({ requirements: [{ key, operator: 'In', values }] });

it('names requirements that the claim no longer meets, and no other', () => {
  const claim = nodeClaim({ metadata: { labels: { 'topology.kubernetes.io/zone': 'a', team: 'x' } } });
  expect(requirementDrift(wanting('topology.kubernetes.io/zone', 'b', 'c'), claim)).toEqual([
    { field: 'spec.template.spec.requirements[topology.kubernetes.io/zone]', from: 'a', to: 'In [b c]' },
  ]);
  expect(requirementDrift(wanting('topology.kubernetes.io/zone', 'a'), claim)).toEqual([]);
});

it('names what the template gave otherwise at the launch, and passes over labels from elsewhere', () => {
  const claim = nodeClaim({ metadata: { labels: { team: 'x', other: 'y' } } });
  const { nodeClassRef, expireAfter } = claim.spec;
  const same = { nodeClassRef, ...(expireAfter ? { expireAfter } : {}) };
  const taints = [{ key: 'a', value: 'b', effect: 'NoSchedule' }];
  const changes = templateDrift(pool({ ...same, taints }, { labels: { team: 'z' } }), claim);
  expect(changes).toEqual([
    { field: 'spec.template.metadata.labels.team', from: 'x', to: 'z' },
    { field: 'spec.template.spec.taints[a]', from: null, to: 'b:NoSchedule' },
  ]);
});
