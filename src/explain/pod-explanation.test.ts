import { describe, expect, it } from 'vitest';
import { boundPod, nodePool, runningNode } from '../../test/factories/index.ts';
import { genericCatalogue } from '../../test/support/generic-catalogue.ts';
import type { Event, KubeObject, ObjectMeta, Pod, PodSpec, PodStatus } from '../kube/objects.ts';
import { worldFromObjects } from '../state/world-from-objects.ts';
import { Analysis } from './analysis.ts';
import { explainPod } from './pod-explanation.ts';

const UNSCHEDULABLE: PodStatus = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
};

function pod(spec: Partial<PodSpec> = {}, status: PodStatus = UNSCHEDULABLE, metadata: Partial<ObjectMeta> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'asked', namespace: 'default', ...metadata },
    spec: { containers: [{ name: 'a', resources: { requests: { cpu: '1' } } }], ...spec },
    status,
  };
}

const pool = (name: string, spec: object = {}) => nodePool({ metadata: { name }, spec });

function explain(asked: Pod, others: readonly KubeObject[] = [pool('a')], events: readonly Event[] = []) {
  const { instanceTypes, rules } = genericCatalogue();
  const world = worldFromObjects([...others, asked], { instanceTypes, now: 0 });
  const analysis = new Analysis(world, rules);
  const own = world.pods.find(({ metadata }) => metadata.name === 'asked');
  if (!own) throw new Error('no pod');
  const { solve, wellKnown } = analysis;
  return explainPod({
    pod: own,
    world,
    pending: analysis.pending(),
    solve,
    wellKnown,
    closest: () => undefined,
    events,
  });
}

describe('a pod that needs nothing of Karpenter', () => {
  it.each<[string, Pod, object]>([
    ['has ended', pod({}, { phase: 'Failed' }), { state: 'Ended', note: 'phase Failed' }],
    [
      'is going, and says what keeps it',
      pod({}, {}, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.b/c'] }),
      { state: 'Leaving', note: 'finalizers keep it: a.b/c' },
    ],
    [
      'is gated',
      pod({ schedulingGates: [{ name: 'quota' }] }),
      { state: 'NotOurs', note: /gates: quota/, next: /controller/ },
    ],
    [
      'is a daemon',
      pod({}, UNSCHEDULABLE, { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd' }] }),
      { state: 'NotOurs', next: /^kubectl describe pod -n default asked/ },
    ],
    [
      'is static',
      pod({}, UNSCHEDULABLE, { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n' }] }),
      { state: 'NotOurs', note: /static/ },
    ],
    [
      'waits for preemption',
      pod({}, { ...UNSCHEDULABLE, nominatedNodeName: 'n' }),
      { state: 'Nominated', node: 'n', note: /preemption/ },
    ],
  ])('%s', (_, asked, expected) => {
    const explained = explain(asked);
    for (const [key, value] of Object.entries(expected)) {
      const actual = explained[key as keyof typeof explained];
      if (value instanceof RegExp) expect(actual).toMatch(value);
      else expect(actual).toBe(value);
    }
  });

  it('has opted out, and gets no event', () => {
    const terms = [{ matchExpressions: [{ key: 'karpenter.sh/nodepool', operator: 'DoesNotExist' as const }] }];
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
    const explained = explain(pod({ affinity: { nodeAffinity: required } }));
    expect(explained).toMatchObject({ state: 'NoPlace', note: expect.stringContaining('keeps away') });
    expect(explained.event).toBeUndefined();
  });
});

describe('a pod with a place', () => {
  it('gets the cheapest offer, beside the dearer ones and the pools that would do as well', () => {
    const heavy = pool('heavy', { weight: 10 });
    const tainted = pool('tainted', { template: { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } } });
    const explained = explain(pod(), [heavy, pool('light'), tainted]);
    expect(explained).toMatchObject({
      state: 'NewNode',
      newNodeClaim: { nodePool: 'heavy' },
      otherPools: [{ nodePool: 'light', why: 'heavy has the higher weight' }],
      targets: [{ name: 'tainted', reasons: [{ code: 'TaintNotTolerated' }] }],
    });
    const prices = (explained.offers ?? []).map(({ price }) => price);
    expect(prices.length).toBe(5);
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
  });

  it('shares the node that is planned for another pod, though a pool that comes first would do', () => {
    const taints = [{ key: 'x', effect: 'NoSchedule' as const }];
    const first = pool('b', { template: { spec: { taints } } });
    const other = pod({ containers: [{ name: 'a', resources: { requests: { cpu: '2' } } }] }, UNSCHEDULABLE, {
      name: 'other',
    });
    const explained = explain(pod({ tolerations: [{ operator: 'Exists' }] }), [first, pool('a'), other]);
    expect(explained).toMatchObject({
      newNodeClaim: { nodePool: 'a', pods: ['default/asked', 'default/other'] },
      otherPools: [{ nodePool: 'b', why: 'a node of a was planned for other pods already, and has room' }],
    });
  });

  it('runs somewhere, and would stay there, go elsewhere or nowhere if it were placed again', () => {
    const own = pool('a');
    const [here, there] = ['a', 'b'].map((name) => runningNode({ pool: own, name, instanceType: 'c-2x-amd64-linux' }));
    if (!here || !there) throw new Error('no nodes');
    const objects = [here, there].flatMap(({ node, nodeClaim }) => [node, nodeClaim].filter((o) => o !== undefined));
    const asked = boundPod(there, { cpu: '1' }, { metadata: { name: 'asked' } });
    const explained = explain(asked, [own, ...objects]);
    expect(explained).toMatchObject({
      state: 'Bound',
      node: 'b',
      nodeFacts: { nodePool: 'a', instanceType: 'c-2x-amd64-linux', capacityType: 'on-demand' },
      again: { node: 'a' },
    });
    const kept = { ...asked, metadata: { ...asked.metadata, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };
    expect(explain(kept, [own, ...objects]).protected).toContain('do-not-disrupt');
  });
});

it('the last word of Karpenter in the cluster is shown, not that of others', () => {
  const event = (component: string, reason: string, lastTimestamp: string): Event => ({
    metadata: { name: reason },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'asked' },
    source: { component },
    reason,
    message: reason,
    lastTimestamp,
  });
  const events = [
    event('karpenter', 'NotReached', '2026-01-01T00:02:00Z'),
    event('karpenter', 'FailedScheduling', '2026-01-01T00:01:00Z'),
    event('default-scheduler', 'FailedScheduling', '2026-01-01T00:03:00Z'),
  ];
  expect(explain(pod(), [pool('a')], events).lastEvent).toMatchObject({ reason: 'NotReached' });
});
