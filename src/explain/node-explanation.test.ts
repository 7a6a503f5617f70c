import { describe, expect, it } from 'vitest';
import { boundPod, nodePool, runningNode } from '../../test/factories/index.ts';
import { genericCatalogue } from '../../test/support/generic-catalogue.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { KubeObject } from '../kube/objects.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { StateNode } from '../scheduling/types.ts';
import { worldFromObjects } from '../state/world-from-objects.ts';
import { Analysis } from './analysis.ts';
import { explainNode } from './node-explanation.ts';

const NOW = Date.parse('2026-03-04T12:00:00Z');
const POOL = nodePool({ metadata: { name: 'p' } });
const large = (name: string, parts: Partial<Parameters<typeof runningNode>[0]> = {}) =>
  runningNode({ pool: POOL, name, ...parts });

function explain(
  asked: StateNode,
  others: readonly StateNode[],
  objects: readonly KubeObject[] = [],
  pool: NodePool = POOL,
) {
  const { instanceTypes, rules } = genericCatalogue();
  const nodes = [asked, ...others].flatMap(({ node, nodeClaim }) => [node, nodeClaim].filter((o) => o !== undefined));
  const world = worldFromObjects([pool, ...nodes, ...objects], { instanceTypes, now: NOW });
  const analysis = new Analysis(world, rules);
  const node = world.nodes.find((candidate) => stateNodeName(candidate) === stateNodeName(asked));
  if (!node) throw new Error('no node');
  return explainNode({ node, analysis });
}

const verdicts = ({ methods }: ReturnType<typeof explain>) =>
  methods.map(({ method, candidate, command, blockers }) =>
    [method, candidate ? 'candidate' : '', command?.decision ?? blockers[0]?.code ?? 'nothing to gain'].join(' '),
  );

describe('each of the five methods has its own verdict', () => {
  it('on an empty node', () => {
    expect(verdicts(explain(large('a'), []))).toEqual([
      'Emptiness candidate delete',
      'StaticDrift  NotDrifted',
      'Drift  NotDrifted',
      'MultiNodeConsolidation  IsEmpty',
      'SingleNodeConsolidation  IsEmpty',
    ]);
  });

  it('on one that has drifted', () => {
    const drifted = large('a', { conditions: ['Drifted'] });
    const pod = boundPod(drifted, { cpu: '1' });
    expect(verdicts(explain(drifted, [large('b')], [pod]))).toEqual([
      'Emptiness  NotEmpty',
      'StaticDrift  NotDrifted',
      'Drift candidate delete',
      'MultiNodeConsolidation  ConsolidateAfter',
      'SingleNodeConsolidation  ConsolidateAfter',
    ]);
  });

  it('on one of two that can go together', () => {
    const [a, b, c] = [large('a'), large('b'), large('c')];
    const pods = [a, b, c].map((node) => boundPod(node, { cpu: '1' }));
    expect(verdicts(explain(a, [b, c], pods))).toContain('MultiNodeConsolidation candidate replace');
  });

  it('when a budget allows nothing, with its numbers and the end of its window', () => {
    const closed = nodePool({
      metadata: { name: 'p' },
      spec: { disruption: { budgets: [{ nodes: '0', schedule: '0 12 * * *', duration: '1h' }] } },
    });
    const a = large('a');
    const { blockers } = explain(a, [], [], closed);
    expect(blockers).toMatchObject([
      { code: 'Budget', why: 'budgets of NodePool p allow 0 of 1 nodes now; any number from 2026-03-04T13:00:00Z' },
    ]);
  });
});

describe('budgets by reason', () => {
  const budgets = [
    { nodes: '0', reasons: ['Drifted'], schedule: '0 12 * * *', duration: '1h' },
    { nodes: '0', reasons: ['Empty'], schedule: '0 12 * * *', duration: '2h' },
    { nodes: '1' },
  ] as const;
  const closed = nodePool({ metadata: { name: 'p' }, spec: { disruption: { budgets } } });

  it('of an empty node tell of the budget for empty nodes', () => {
    expect(explain(large('a'), [], [], closed).blockers).toMatchObject([
      {
        code: 'Budget',
        reason: 'Empty',
        why: 'budgets of NodePool p allow 0 of 1 nodes now for reason Empty; 1 from 2026-03-04T14:00:00Z',
      },
    ]);
  });

  it('of a drifted node tell of the budget for drift', () => {
    const drifted = large('a', { conditions: ['Drifted'] });
    const { methods } = explain(drifted, [], [boundPod(drifted, { cpu: '1' })], closed);
    expect(methods.find(({ method }) => method === 'Drift')?.blockers).toMatchObject([
      { why: 'budgets of NodePool p allow 0 of 1 nodes now for reason Drifted; 1 from 2026-03-04T13:00:00Z' },
    ]);
  });
});

describe('a node that goes', () => {
  const protectedPod = (a: StateNode) =>
    boundPod(
      a,
      { cpu: '1' },
      { metadata: { name: 'kept', namespace: 'default', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } },
    );
  const pods = [{ pod: 'default/kept', keptBy: 'the annotation karpenter.sh/do-not-disrupt' }];
  const claimOf = ({ nodeClaim }: StateNode) => {
    if (!nodeClaim) throw new Error('no claim');
    return nodeClaim;
  };

  it('since it is being deleted tells what its drain waits for', () => {
    const a = large('a');
    const claim = claimOf(a);
    const since = '2026-03-04T11:00:00Z';
    const going = { ...a, nodeClaim: { ...claim, metadata: { ...claim.metadata, deletionTimestamp: since } } };
    expect(explain(going, [], [protectedPod(a)]).leaving).toEqual({ because: 'Deleted', since, pods });
  });

  it('since its time is up does so too, whatever the methods say', () => {
    const a = large('a');
    const claim = claimOf(a);
    const created = { ...claim.metadata, creationTimestamp: '2026-03-01T12:00:00Z' };
    const old = { ...a, nodeClaim: { ...claim, metadata: created, spec: { ...claim.spec, expireAfter: '24h' } } };
    const { leaving } = explain(old, [], [protectedPod(a)]);
    expect(leaving).toEqual({ because: 'Expired', since: '2026-03-02T12:00:00Z', pods });
  });

  it('of whose claim a terminationGracePeriod ends the wait', () => {
    const a = large('a');
    const claim = claimOf(a);
    const metadata = { ...claim.metadata, deletionTimestamp: '2026-03-04T11:00:00Z' };
    const going = { ...a, nodeClaim: { ...claim, metadata, spec: { ...claim.spec, terminationGracePeriod: '48h' } } };
    expect(explain(going, [], [protectedPod(a)]).leaving?.forcedAt).toBe('2026-03-06T11:00:00Z');
  });

  it('is none that stays', () => {
    expect(explain(large('a'), []).leaving).toBeNull();
  });
});

it('says that the node is not ready, with the reason', () => {
  const a = large('a');
  const conditions = [{ type: 'Ready', status: 'Unknown' as const, reason: 'NodeStatusUnknown' }];
  const lost = a.node && { ...a, node: { ...a.node, status: { ...a.node.status, conditions } } };
  expect(lost && explain(lost, []).notReady).toBe('Ready is Unknown: NodeStatusUnknown');
  expect(explain(a, []).notReady).toBeNull();
});

describe('the removal', () => {
  it('costs what new nodes cost, and saves what is left of the price', () => {
    const a = large('a');
    const { removal, price } = explain(a, [], [boundPod(a, { cpu: '1' })]);
    expect(removal.pods).toMatchObject([{ to: 'newNode' }]);
    expect(removal.newNodesPrice).toBeGreaterThan(0);
    expect(removal.savings).toBeCloseTo((price ?? 0) - removal.newNodesPrice);
  });
});

it('says what it would save without what keeps it', () => {
  const [a, b] = [large('a'), large('b')];
  const kept = boundPod(a, { cpu: '1' }, { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } });
  const explained = explain(a, [b], [kept]);
  expect(explained.blockers.map(({ code }) => code)).toEqual(['DoNotDisruptPod']);
  expect(explained.couldSave?.hourly).toBeCloseTo(explained.price ?? 0);
});
