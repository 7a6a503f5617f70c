import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { NodePool } from '../../src/apis/node-pool.ts';
import type { KubeObject, Node, Pod, PodDisruptionBudget } from '../../src/kube/objects.ts';
import { unschedulablePod } from '../factories/index.ts';
import { merge } from '../factories/merge.ts';
import type { FleetState } from './random-fleet.ts';
import type { Making } from './random-world.ts';

/** What can happen in fifteen seconds, as a change to one object of a kind. */
type Change = readonly [
  name: string,
  share: number,
  change: (making: Making, object: KubeObject) => readonly KubeObject[],
];

const CHANGES: readonly Change[] = [
  [
    'a pod is protected',
    0.15,
    onPod((pod) => merge(pod, { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } })),
  ],
  ['a pod ends', 0.15, onPod((pod) => merge(pod, { status: { phase: 'Succeeded' } }))],
  [
    'a pod grows',
    0.2,
    onPod((pod) =>
      merge(pod, {
        spec: { containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu: '4', memory: '4Gi' } } }] },
      }),
    ),
  ],
  ['a pod goes', 0.15, (_, object) => (object.kind === 'Pod' ? [] : [object])],
  ['a twin of a pod comes', 0.15, twin],
  [
    'a pod is pinned',
    0.1,
    onPod((pod) => merge(pod, { spec: { nodeSelector: { 'karpenter.sh/capacity-type': 'on-demand' } } })),
  ],
  [
    'a node is annotated',
    0.12,
    onNode((node) => merge(node, { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } })),
  ],
  [
    'a node is not ready',
    0.2,
    onNode((node) => merge(node, { status: { conditions: [{ type: 'Ready', status: 'False' }] } })),
  ],
  [
    'a node is tainted',
    0.1,
    onNode((node) => merge(node, { spec: { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] } })),
  ],
  [
    'a claim is deleted',
    0.12,
    onClaim((claim) => merge(claim, { metadata: { deletionTimestamp: '2026-12-01T00:00:05Z' } })),
  ],
  ['a claim is busy', 0.15, onClaim(unconsolidatable)],
  ['a budget closes', 0.5, onPool((pool) => merge(pool, { spec: { disruption: { budgets: [{ nodes: '0' }] } } }))],
  ['a budget is one', 0.5, onPool((pool) => merge(pool, { spec: { disruption: { budgets: [{ nodes: '1' }] } } }))],
  ['consolidation stops', 0.4, onPool((pool) => merge(pool, { spec: { disruption: { consolidateAfter: 'Never' } } }))],
  [
    'a policy changes',
    0.4,
    onPool((pool) => merge(pool, { spec: { disruption: { consolidationPolicy: 'WhenEmpty' } } })),
  ],
  [
    'a PDB closes',
    0.5,
    (_, object) => (object.kind === 'PodDisruptionBudget' ? [closed(object as PodDisruptionBudget)] : [object]),
  ],
];

/** The fleet after one or two things have happened to it. */
export function changedFleet(making: Making, before: FleetState): FleetState {
  const { choices, maybe } = making;
  let objects = before.objects;
  for (const [name, share, change] of choices.some(CHANGES, 2)) {
    maybe(1, `then ${name}`);
    objects = objects.flatMap((object) => (choices.chance(share) ? change(making, object) : [object]));
  }
  if (maybe(0.2, 'then pods wait')) {
    for (let i = 0; i < choices.integer(1, 6); i++) {
      const resources = { requests: { cpu: choices.pick(['500m', '2', '4']) } };
      const spec = { containers: [{ name: 'main', image: 'pause', resources }] };
      objects = [...objects, unschedulablePod({ metadata: { name: `late-${i}` }, spec })];
    }
  }
  const names = objects.flatMap(({ kind, metadata }) => (kind === 'Node' ? [metadata.name] : []));
  const nominated = names.length > 0 && maybe(0.25, 'then a node is nominated') ? choices.some(names, 3) : [];
  return { objects, nominated, marked: before.marked, queued: before.queued };
}

function onPod(change: (pod: Pod) => Pod): Change[2] {
  return (_, object) => (object.kind === 'Pod' ? [change(object as Pod)] : [object]);
}

function onNode(change: (node: Node) => Node): Change[2] {
  return (_, object) => (object.kind === 'Node' ? [change(object as Node)] : [object]);
}

function onClaim(change: (claim: NodeClaim) => NodeClaim): Change[2] {
  return (_, object) => (object.kind === 'NodeClaim' ? [change(object as NodeClaim)] : [object]);
}

function onPool(change: (pool: NodePool) => NodePool): Change[2] {
  return (_, object) => (object.kind === 'NodePool' ? [change(object as NodePool)] : [object]);
}

function twin(_: Making, object: KubeObject): readonly KubeObject[] {
  if (object.kind !== 'Pod') return [object];
  return [object, { ...object, metadata: { ...object.metadata, name: `${object.metadata.name}-twin` } }];
}

function unconsolidatable(claim: NodeClaim): NodeClaim {
  const conditions = (claim.status?.conditions ?? []).filter(({ type }) => type !== 'Consolidatable');
  return { ...claim, status: { ...claim.status, conditions, lastPodEventTime: '2026-12-01T00:00:10Z' } };
}

function closed(pdb: PodDisruptionBudget): PodDisruptionBudget {
  return { ...pdb, status: { ...pdb.status, disruptionsAllowed: 0 } };
}
