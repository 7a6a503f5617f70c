import type {
  Budget,
  NodePool,
  NodePoolDisruption,
  NodeSelectorRequirementWithMinValues,
} from '../../src/apis/node-pool.ts';
import { merge } from '../factories/merge.ts';
import type { FleetMaking } from './random-fleet-making.ts';

/** The pool as disruption sees it: policy, budgets, replicas, variety that replacements must have. */
export function fleetPool(pool: NodePool, making: FleetMaking): NodePool {
  const { choices, maybe, rare } = making;
  const policy = choices.pick([
    'WhenEmptyOrUnderutilized',
    'WhenEmptyOrUnderutilized',
    'WhenEmptyOrUnderutilized',
    'WhenEmpty',
    'Balanced',
  ] as const);
  maybe(1, `policy ${policy}`);
  const disruption: NodePoolDisruption = {
    consolidationPolicy: policy,
    consolidateAfter: rare(0.12, 'consolidateAfter Never') ? 'Never' : choices.pick(['0s', '0s', '30s', '10m']),
    budgets: rare(0.5, 'budgets') ? randomBudgets(making) : [{ nodes: '100%' }],
  };
  const { template } = pool.spec;
  const plain = maybe(making.tight ? 0.7 : 0.2, 'pool that buys almost anything');
  const elsewhere = rare(0.06, 'pool of another provider');
  const nodeClassRef = elsewhere
    ? { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
    : { ...template.spec.nodeClassRef, name: maybe(0.1, 'second NodeClass') ? 'spare' : 'default' };
  const { limits: _, ...rest } = pool.spec;
  const kept = rare(0.5, 'limits on pools') ? pool.spec : rest;
  const isStatic = rare(0.18, 'static pool');
  const limits = isStatic && maybe(0.6, 'static node limit') ? { nodes: String(choices.integer(1, 8)) } : undefined;
  return {
    ...pool,
    spec: {
      ...(isStatic ? { ...withoutWeight(rest), replicas: choices.integer(0, 8) } : kept),
      ...(limits ? { limits } : {}),
      disruption,
      template: merge(template, {
        spec: {
          nodeClassRef,
          requirements: [...(plain ? plainRequirements(making) : template.spec.requirements), ...variety(making)],
          ...(plain ? { taints: [] } : {}),
          ...(maybe(0.2, 'expireAfter') ? { expireAfter: choices.pick(['720h', '2000h']) } : {}),
          ...(maybe(0.1, 'startup taint') ? { startupTaints: [{ key: 'starting', effect: 'NoSchedule' }] } : {}),
        },
      }),
    },
  };
}

function plainRequirements({ choices, maybe }: FleetMaking): NodeSelectorRequirementWithMinValues[] {
  const types = choices.pick([['on-demand'], ['spot'], ['on-demand', 'spot'], ['on-demand', 'spot', 'reserved']]);
  return [
    { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
    ...(maybe(0.6, 'pool capacity types')
      ? [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: types } as const]
      : []),
  ];
}

function withoutWeight({ weight: _, ...spec }: NodePool['spec']): NodePool['spec'] {
  return spec;
}

/** minValues that a few or most cheaper types satisfy. */
function variety({ choices, maybe }: FleetMaking): NodeSelectorRequirementWithMinValues[] {
  if (!maybe(0.15, 'minValues of replacements', 'mixed')) return [];
  return [
    choices.pick<NodeSelectorRequirementWithMinValues>([
      { key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: choices.pick([2, 8, 16, 30]) },
      { key: 'karpenter.kwok.sh/instance-family', operator: 'Exists', minValues: choices.integer(2, 3) },
      { key: 'karpenter.kwok.sh/instance-cpu', operator: 'Exists', minValues: choices.integer(2, 5) },
    ]),
  ];
}

/** 2026-12-01 00:00 UTC, a Tuesday, is when the cluster is looked at: some schedules have just begun, or just end. */
function randomBudgets({ choices, maybe }: FleetMaking): Budget[] {
  return Array.from({ length: choices.integer(1, maybe(0.3, 'many budgets') ? 5 : 2) }, (): Budget => {
    const nodes = choices.pick(['0', '1', '2', '5', '10%', '30%', '50%', '99%', '100%', '0%', '100']);
    if (nodes.endsWith('%')) maybe(1, 'budget percentage');
    return {
      nodes,
      ...(maybe(0.4, 'budget reasons')
        ? { reasons: choices.chance(0.1) ? [] : choices.some(['Underutilized', 'Empty', 'Drifted'] as const) }
        : {}),
      ...(maybe(0.35, 'budget schedule')
        ? {
            schedule: choices.pick([
              '@daily',
              '@hourly',
              '@midnight',
              '0 22 * * *',
              '*/5 * * * *',
              '0 0 * * tue',
              '0 0 * * MON',
              '0 0 1 * *',
              '30 23 30 NOV *',
              '59 23 * * 1-5',
              '0 0 30 2 *',
            ]),
            duration: choices.pick(['1m', '15s', '30m', '1h', '1h30m', '3h', '24h', '168h']),
          }
        : {}),
      ...(maybe(0.02, 'budget schedule that is none') ? { schedule: '61 * * * *', duration: '1h' } : {}),
    };
  });
}
