import type { NodePool, NodeSelectorRequirementWithMinValues } from '../../src/apis/node-pool.ts';
import type { Taint } from '../../src/kube/objects.ts';
import { nodePool } from '../factories/index.ts';
import { type Making, ZONES } from './random-world.ts';

export const POOL_NAMES = ['alpha', 'beta', 'gamma'];
const FAMILY = 'karpenter.kwok.sh/instance-family';
const CPU = 'karpenter.kwok.sh/instance-cpu';

export function randomPool(making: Making, index: number): NodePool {
  const { choices, maybe } = making;
  const labels: Record<string, string> = {};
  if (maybe(0.3, 'pool label')) labels.team = choices.pick(['red', 'blue']);
  const limits = randomLimits(making);
  return nodePool({
    metadata: { name: POOL_NAMES[index] ?? `pool-${index}` },
    spec: {
      ...(maybe(0.3, 'pool weight') ? { weight: choices.integer(1, 3) } : {}),
      ...(limits ? { limits } : {}),
      template: {
        metadata: { labels },
        spec: { requirements: randomRequirements(making), taints: randomTaints(making, index) },
      },
    },
  });
}

function randomLimits({ choices, maybe }: Making): Record<string, string> | undefined {
  if (!maybe(0.2, 'pool limits')) return undefined;
  const limits: Record<string, string> = {};
  if (choices.chance(0.7)) limits.cpu = String(choices.integer(2, 64));
  if (choices.chance(0.4)) limits.memory = `${choices.integer(4, 256)}Gi`;
  if (maybe(0.3, 'limits.nodes')) limits.nodes = String(choices.integer(0, 4));
  return limits;
}

function randomTaints({ choices, maybe }: Making, index: number): Taint[] {
  const taints: Taint[] = [];
  if (maybe(index === 0 ? 0.1 : 0.25, 'pool taint')) {
    taints.push({
      key: 'dedicated',
      value: choices.pick(['gpu', 'batch']),
      effect: choices.pick(['NoSchedule', 'NoExecute']),
    });
  }
  if (maybe(0.1, 'PreferNoSchedule')) taints.push({ key: 'soft', value: 'x', effect: 'PreferNoSchedule' });
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
  }
  if (maybe(0.25, 'pool families')) {
    const values = choices.some(['c', 's', 'm']);
    requirements.push({ key: FAMILY, operator: choices.chance(0.8) || values.length === 3 ? 'In' : 'NotIn', values });
  }
  if (maybe(0.2, 'pool custom key', 'mixed')) {
    const operator = choices.pick(['In', 'Exists', 'NotIn'] as const);
    const values = operator === 'Exists' ? undefined : choices.some(['r1', 'r2', 'r3']);
    requirements.push({ key: 'example.com/rack', operator, ...(values ? { values } : {}) });
  }
  if (maybe(0.3, 'minValues', 'all')) requirements.push(...randomMinValues(making));
  return requirements;
}

function randomMinValues({ choices }: Making): NodeSelectorRequirementWithMinValues[] {
  const minValues = choices.integer(1, 4);
  return [
    choices.pick<NodeSelectorRequirementWithMinValues>([
      { key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: minValues * 5 },
      { key: FAMILY, operator: 'Exists', minValues: Math.min(minValues, 3) },
      { key: CPU, operator: 'Exists', minValues },
      { key: 'topology.kubernetes.io/zone', operator: 'Exists', minValues },
    ]),
  ];
}
