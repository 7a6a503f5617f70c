import { describe, expect, it } from 'vitest';
import { node, nodePool, runningNode } from '../../test/factories/index.ts';
import { genericCatalogue } from '../../test/support/generic-catalogue.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { KubeObject, Pod, PodSpec } from '../kube/objects.ts';
import { worldFromObjects } from '../state/world-from-objects.ts';
import { Analysis } from './analysis.ts';
import { explainPod } from './pod-explanation.ts';

const pool = (name: string, spec: Partial<NodePool['spec']> = {}, template: object = {}): NodePool => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    ...spec,
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
        requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
        ...template,
      },
    },
  },
});

const pod = (spec: Partial<PodSpec>, cpu = '1'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'asked', namespace: 'default' },
  spec: { containers: [{ name: 'a', resources: { requests: { cpu } } }], ...spec },
  status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
});

const ZONE = 'topology.kubernetes.io/zone';

const inZone = (zone: string): KubeObject =>
  node({
    metadata: { name: `node-${zone}`, labels: { [ZONE]: `test-zone-${zone}` } },
    status: { allocatable: { cpu: '0' } },
  });

const running = (name: string, nodeName: string): Pod => ({
  ...pod({ nodeName }),
  metadata: { name, namespace: 'default', labels: { app: 'web' } },
  status: { phase: 'Running' },
});

const labelled = (spec: Partial<PodSpec>): Pod => ({
  ...pod(spec),
  metadata: { name: 'asked', namespace: 'default', labels: { app: 'web' } },
});

function explain(asked: Pod, pools: readonly KubeObject[], others: readonly KubeObject[] = []) {
  const { instanceTypes, rules } = genericCatalogue();
  const world = worldFromObjects([asked, ...pools, ...others], { instanceTypes, now: 0 });
  const analysis = new Analysis(world, rules);
  const [only] = world.pods;
  if (!only) throw new Error('no pod');
  const closest = (value: string, candidates: readonly string[]) =>
    candidates.find((candidate) => candidate.replace(/\W/g, '') === value.replace(/[\W_]/g, ''));
  const { solve, wellKnown } = analysis;
  return explainPod({ pod: only, world, pending: analysis.pending(), solve, wellKnown, closest });
}

const edits = (asked: Pod, ...pools: readonly KubeObject[]) =>
  explain(asked, pools).fixes.map((fix) => fix.edits.map(({ path, to }) => `${path} = ${to}`).join(' and '));

describe('the edits that let a pod fit', () => {
  it('are none for a pod that fits', () => {
    expect(explain(pod({}), [pool('a')])).toMatchObject({ state: 'NewNode', fixes: [] });
  });

  it('name the pool that takes the pod, not the first that was looked at', () => {
    const arch = (operator: 'In' | 'NotIn') => ({ key: 'kubernetes.io/arch', operator, values: ['amd64'] });
    const nothing = pool('a', {}, { requirements: [arch('In'), arch('NotIn')] });
    const misspelt = pod({ nodeSelector: { 'karpenter.sh/capacity-type': 'on_demand' } });
    expect(explain(misspelt, [nothing, pool('b')]).fixes.map(({ nodePool }) => nodePool)).toEqual(['b', 'b']);
  });

  it('tolerate a taint', () => {
    const tainted = pool('a', {}, { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] });
    expect(edits(pod({}), tainted)).toEqual([
      'spec.tolerations = {key: dedicated, operator: Equal, value: gpu, effect: NoSchedule}',
      'spec.template.spec.taints = ',
    ]);
  });

  it('correct a misspelt value before anything else', () => {
    const [first] = edits(pod({ nodeSelector: { 'karpenter.sh/capacity-type': 'on_demand' } }), pool('a'));
    expect(first).toBe('spec.nodeSelector["karpenter.sh/capacity-type"] = on-demand');
  });

  it('widen the pool or narrow the pod when they ask for different things', () => {
    const arm = pool('a', {}, { requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] });
    expect(edits(pod({ nodeSelector: { 'kubernetes.io/arch': 'arm64' } }), arm)).toEqual([
      'spec.template.spec.requirements[0] = kubernetes.io/arch In [amd64 arm64]',
      'spec.nodeSelector["kubernetes.io/arch"] = amd64',
      'spec.nodeSelector["kubernetes.io/arch"] = ',
    ]);
  });

  it('raise a limit, and the limit is named as the cause', () => {
    const limited = pool('a', { limits: { cpu: '4' } });
    const explained = explain(pod({}, '6'), [limited]);
    expect(explained.targets[0]?.reasons[0]).toMatchObject({ code: 'NodePoolLimit', subject: 'cpu' });
    expect(explained.fixes[0]?.edits).toEqual([{ object: 'nodepool/a', path: 'spec.limits.cpu', from: '4', to: '8' }]);
  });

  it('shrink a pod that is larger than any machine, by one measure only', () => {
    expect(edits(pod({}, '400'), pool('a'))).toEqual(['spec.containers[].resources.requests = at most cpu 230']);
  });

  it('are made together when one is not enough', () => {
    const taints = [
      { key: 'x', effect: 'NoSchedule' },
      { key: 'y', effect: 'NoExecute' },
    ];
    expect(edits(pod({}, '6'), pool('a', { limits: { cpu: '4' } }, { taints }))).toContain(
      'spec.tolerations = {key: x, operator: Exists, effect: NoSchedule} and spec.tolerations = {key: y, operator: Exists, effect: NoExecute} and spec.limits.cpu = 8',
    );
  });

  it('raise the skew as far as is needed, or make the spread a wish', () => {
    const constraint = {
      topologyKey: ZONE,
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    } as const;
    const only = pool('a', {}, { requirements: [{ key: ZONE, operator: 'In', values: ['test-zone-a'] }] });
    const objects = [inZone('b'), inZone('a'), running('w1', 'node-a'), running('w2', 'node-a')];
    expect(edits(labelled({ topologySpreadConstraints: [constraint] }), only, ...objects)).toEqual([
      'spec.topologySpreadConstraints[0].maxSkew = 3',
      'spec.topologySpreadConstraints[0].whenUnsatisfiable = ScheduleAnyway',
    ]);
  });

  it('make an affinity that nothing can meet a wish', () => {
    const term = { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'db' } } };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    expect(edits(pod({ affinity }), pool('a'))).toEqual([
      'spec.affinity.podAffinity = preferredDuringSchedulingIgnoredDuringExecution',
    ]);
  });

  it('widen the pool to the zone of a volume', () => {
    const only = pool('a', {}, { requirements: [{ key: ZONE, operator: 'In', values: ['test-zone-a'] }] });
    const there = [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['test-zone-c'] }] }];
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv' },
      spec: { nodeAffinity: { required: { nodeSelectorTerms: there } } },
    };
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { volumeName: 'pv' },
    };
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
    expect(edits(pod({ volumes }), only, volume, claim)).toEqual([
      `spec.template.spec.requirements[0] = ${ZONE} In [test-zone-a test-zone-c]`,
    ]);
  });

  it('give up a host port that a daemon takes on every node', () => {
    const spec = { containers: [{ name: 'a', ports: [{ containerPort: 80, hostPort: 80 }] }] };
    const labels = { app: 'proxy' };
    const daemon = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'proxy', namespace: 'default' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    };
    expect(edits(pod(spec), pool('a'), daemon)).toEqual(['spec.containers[0].ports[0].hostPort = ']);
  });

  it('ask for as much less variety as is needed', () => {
    const requirements = [
      { key: 'karpenter.kwok.sh/instance-family', operator: 'In', values: ['c', 's', 'm'], minValues: 3 },
    ];
    const families = edits(
      pod({ nodeSelector: { 'karpenter.kwok.sh/instance-family': 'c' } }),
      pool('a', {}, { requirements }),
    );
    expect(families).toContain('spec.template.spec.requirements[0].minValues = 1');
  });

  it('tell who loses a place by them', () => {
    const free = node({ metadata: { name: 'free' }, status: { allocatable: { cpu: '2', pods: '9' } } });
    const other: Pod = { ...pod({}), metadata: { name: 'other', namespace: 'default' } };
    const objects = [pool('a', { limits: { cpu: '0' } }), free, other];
    const { fixes } = explain(pod({ nodeSelector: { team: 'x' } }, '2'), objects);
    const [drop] = fixes.filter(({ node: taker }) => taker === 'free');
    expect(drop).toMatchObject({ edits: [{ path: 'spec.nodeSelector["team"]' }], displaces: ['default/other'] });
  });

  it('tell how many nodes of the pool drift by them', () => {
    const tainted = nodePool({
      metadata: { name: 'a' },
      spec: { template: { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } } },
    });
    const { node: full, nodeClaim } = runningNode({ pool: tainted, name: 'n', instanceType: 'c-1x-amd64-linux' });
    const { fixes } = explain(pod({}, '4'), [tainted, ...[full, nodeClaim].filter((o) => o !== undefined)]);
    expect(fixes.map(({ edits: [edit], drifts }) => [edit?.path, drifts])).toEqual([
      ['spec.tolerations', undefined],
      ['spec.template.spec.taints', 1],
    ]);
  });
});
