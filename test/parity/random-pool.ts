import type { NodePool, NodeSelectorRequirementWithMinValues } from '../../src/apis/node-pool.ts';
import type { Taint } from '../../src/kube/objects.ts';
import { nodePool } from '../factories/index.ts';
import { merge } from '../factories/merge.ts';
import { CPU, RACK, randomExpression, TIER } from './random-requirements.ts';
import { type Making, ZONES } from './random-world.ts';

export const POOL_NAMES = ['alpha', 'beta', 'gamma'];
const FAMILY = 'karpenter.kwok.sh/instance-family';

export function randomPool(making: Making, index: number): NodePool {
  const { choices, maybe } = making;
  const labels: Record<string, string> = {};
  if (maybe(0.3, 'pool label')) labels.team = choices.pick(['red', 'blue']);
  if (maybe(0.1, 'pool label that is a number')) labels[TIER] = choices.pick(['2', '3']);
  const limits = randomLimits(making);
  return nodePool({
    metadata: { name: POOL_NAMES[index] ?? `pool-${index}` },
    spec: {
      ...(maybe(0.3, 'pool weight') ? { weight: choices.integer(1, 3) } : {}),
      ...(limits ? { limits } : {}),
      template: {
        metadata: {
          labels,
          ...(maybe(0.1, 'pool annotations') ? { annotations: { 'example.com/note': 'x' } } : {}),
        },
        spec: {
          requirements: randomRequirements(making),
          taints: randomTaints(making, index),
          ...(maybe(0.12, 'startup taints') ? { startupTaints: [{ key: 'starting', effect: 'NoSchedule' }] } : {}),
          ...(maybe(0.08, 'termination grace period') ? { terminationGracePeriod: '1h0m0s' } : {}),
        },
      },
    },
  });
}

/** A pool that can't be used: not ready, or on its way out. */
export function unusable(pool: NodePool, { choices }: Making): NodePool {
  return choices.chance(0.5)
    ? merge(pool, { metadata: { deletionTimestamp: '2026-11-30T23:00:00Z', finalizers: ['x/y'] } })
    : merge(pool, {
        status: {
          conditions: [
            { type: 'ValidationSucceeded', status: 'True', reason: 'ValidationSucceeded' },
            { type: 'NodeClassReady', status: 'False', reason: 'NodeClassNotFound' },
            { type: 'Ready', status: 'False', reason: 'UnhealthyDependents' },
          ],
        },
      });
}

function randomLimits({ choices, maybe }: Making): Record<string, string> | undefined {
  if (!maybe(0.2, 'pool limits')) return undefined;
  const limits: Record<string, string> = {};
  if (maybe(0.7, 'limits.cpu')) limits.cpu = String(choices.integer(2, 64));
  if (maybe(0.4, 'limits.memory')) limits.memory = `${choices.integer(4, 256)}Gi`;
  if (maybe(0.3, 'limits.nodes')) limits.nodes = String(choices.integer(0, 4));
  if (maybe(0.15, 'limits of a custom resource')) limits['example.com/gpu'] = String(choices.integer(0, 2));
  if (maybe(0.1, 'limits.pods')) limits.pods = String(choices.integer(16, 500));
  return limits;
}

function randomTaints({ choices, maybe }: Making, index: number): Taint[] {
  const taints: Taint[] = [];
  if (maybe(index === 0 ? 0.1 : 0.25, 'pool taint')) {
    taints.push({
      key: 'dedicated',
      ...(choices.chance(0.8) ? { value: choices.pick(['gpu', 'batch']) } : {}),
      effect: choices.pick(['NoSchedule', 'NoExecute']),
    });
  }
  if (maybe(0.12, 'PreferNoSchedule')) taints.push({ key: 'soft', value: 'x', effect: 'PreferNoSchedule' });
  return taints;
}

function randomRequirements(making: Making): NodeSelectorRequirementWithMinValues[] {
  const { choices, maybe } = making;
  const requirements: NodeSelectorRequirementWithMinValues[] = [];
  if (choices.chance(0.85)) requirements.push({ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] });
  if (maybe(0.6, 'pool capacity types')) {
    const values = choices.some(making.level === 'all' ? ['on-demand', 'spot', 'reserved'] : ['on-demand', 'spot']);
    requirements.push({ key: 'karpenter.sh/capacity-type', operator: 'In', values });
  }
  if (maybe(0.4, 'pool zones')) {
    const operator = choices.pick(['In', 'In', 'NotIn'] as const);
    requirements.push({ key: 'topology.kubernetes.io/zone', operator, values: choices.some(ZONES, 3) });
  }
  if (maybe(0.3, 'pool arch')) {
    requirements.push({ key: 'kubernetes.io/arch', operator: 'In', values: choices.some(['amd64', 'arm64']) });
  }
  if (maybe(0.5, 'pool instance sizes')) {
    const [operator, value] = choices.pick([
      ['Lt', '17'],
      ['Lte', '8'],
      ['Gt', '1'],
      ['Gte', '2'],
      ['Lt', '33'],
    ] as const);
    requirements.push({ key: CPU, operator, values: [value] });
    if (maybe(0.2, 'two bounds on one key')) requirements.push({ key: CPU, operator: 'Gt', values: ['2'] });
  }
  if (maybe(0.25, 'pool families')) {
    const values = choices.some(['c', 's', 'm']);
    requirements.push({ key: FAMILY, operator: choices.chance(0.8) || values.length === 3 ? 'In' : 'NotIn', values });
  }
  if (maybe(0.2, 'pool custom key', 'mixed')) {
    const operator = choices.pick(['In', 'Exists', 'NotIn'] as const);
    const values = operator === 'Exists' ? undefined : choices.some(['r1', 'r2', 'r3']);
    requirements.push({ key: RACK, operator, ...(values ? { values } : {}) });
  }
  if (maybe(0.4, 'pool requirement of any kind', 'mixed')) requirements.push(randomExpression(making, 'pool'));
  if (maybe(0.3, 'minValues', 'all')) requirements.push(...randomMinValues(making));
  return requirements;
}

function randomMinValues({ choices, maybe }: Making): NodeSelectorRequirementWithMinValues[] {
  const minValues = choices.integer(1, 4);
  const all: readonly NodeSelectorRequirementWithMinValues[] = [
    { key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: minValues * choices.pick([1, 5, 12]) },
    { key: FAMILY, operator: 'Exists', minValues: Math.min(minValues, 3) },
    { key: FAMILY, operator: 'In', values: ['c', 's', 'm'], minValues: Math.min(minValues, 3) },
    { key: CPU, operator: 'Exists', minValues },
    { key: CPU, operator: 'Gt', values: ['1'], minValues },
    { key: 'topology.kubernetes.io/zone', operator: 'Exists', minValues },
    { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'], minValues: Math.min(minValues, 2) },
  ];
  return maybe(0.25, 'minValues on several keys', 'all') ? choices.some(all, 2) : [choices.pick(all)];
}
