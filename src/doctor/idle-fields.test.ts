import { expect, test } from 'vitest';
import { nodePool } from '../../test/factories/index.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { DEFAULT_FEATURE_GATES, type FeatureGates } from '../operator/options.ts';
import { idleFields } from './idle-fields.ts';

const NEVER = { consolidateAfter: 'Never' };
const reserved = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['reserved'] } as const;

test.each<[string, Partial<NodePool['spec']>, Partial<FeatureGates>, readonly RegExp[]]>([
  ['replicas without their gate', { replicas: 3 }, {}, [/^spec\.replicas: 3 makes no nodes .*StaticCapacity/]],
  ['replicas with their gate', { replicas: 3 }, { StaticCapacity: true }, []],
  [
    'consolidation of a static pool',
    { replicas: 3, disruption: { consolidateAfter: '5m', consolidationPolicy: 'WhenEmpty' } },
    { StaticCapacity: true },
    [/^spec\.disruption\.consolidateAfter: 5m/, /^spec\.disruption\.consolidationPolicy: WhenEmpty/],
  ],
  ['what every pool has', { disruption: NEVER }, {}, []],
  [
    'a policy that never comes to act',
    { disruption: { ...NEVER, consolidationPolicy: 'WhenEmpty' } },
    {},
    [/^spec\.disruption\.consolidationPolicy: WhenEmpty: with consolidateAfter: Never/],
  ],
  [
    'a budget for what never happens',
    { disruption: { ...NEVER, budgets: [{ nodes: '10%' }, { nodes: '0', reasons: ['Empty', 'Underutilized'] }] } },
    {},
    [/^spec\.disruption\.budgets\[1\]: .* for Empty or Underutilized$/],
  ],
  [
    'a budget for one thing that happens and one that does not',
    { disruption: { ...NEVER, budgets: [{ nodes: '0', reasons: ['Empty', 'Drifted'] }] } },
    {},
    [],
  ],
  [
    'a budget against consolidation of pools that only lose empty nodes',
    { disruption: { consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '0', reasons: ['Underutilized'] }] } },
    {},
    [/budgets\[0\]/],
  ],
  [
    'a limit of a misspelt resource',
    { limits: { cpu: '10', cpus: '10', 'nvidia.com/gpu': '1', nodes: '3' } },
    {},
    [/^spec\.limits\.cpus: no node has a resource of that name$/],
  ],
])('%s', (_, spec, gates, expected) => {
  const pool = nodePool({ spec });
  const found = idleFields(pool, { ...DEFAULT_FEATURE_GATES, ...gates });
  expect(found).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
});

test('reserved capacity without its gate', () => {
  const pool = nodePool({ spec: { template: { spec: { requirements: [reserved] } } } });
  expect(idleFields(pool, DEFAULT_FEATURE_GATES)).toEqual([]);
  expect(idleFields(pool, { ...DEFAULT_FEATURE_GATES, ReservedCapacity: false })).toEqual([
    expect.stringContaining('the feature gate ReservedCapacity is off'),
  ]);
});
