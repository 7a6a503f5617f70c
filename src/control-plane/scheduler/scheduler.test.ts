import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { node, pod, requesting } from '../../../test/factories/index.ts';
import { type LocalCluster, localCluster } from '../../../test/support/local-cluster.ts';
import { findCondition } from '../../kube/conditions.ts';
import type { Pod, PodSpec, PriorityClass } from '../../kube/objects.ts';
import { Nodes, PodDisruptionBudgets, Pods, PriorityClasses } from '../../kube/resources.ts';
import { Scheduler } from './scheduler.ts';

const priorityClass = (name: string, value: number): PriorityClass => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
});

let cluster: LocalCluster;
beforeEach(async () => {
  cluster = await localCluster();
  const levels = [1, 5, 10, 50, 100].map((value) => priorityClass(`p${value}`, value));
  await cluster.create(PriorityClasses, ...levels, { ...priorityClass('polite', 100), preemptionPolicy: 'Never' });
});
afterEach(() => cluster.stop());

const start = (): Promise<void> => cluster.run(new Scheduler(cluster.deps));
const small = (name: string, more: object = {}): Pod => pod({ metadata: { name }, ...more });
const asking = (name: string, requests: Record<string, string>, spec: Partial<PodSpec> = {}): Pod =>
  pod({ metadata: { name }, spec: { ...requesting(requests), ...spec } });

const nodeOf = async (name: string): Promise<string | undefined> => (await cluster.get(Pods, name)).spec.nodeName;
const failure = async (name: string): Promise<string | undefined> => {
  const found = findCondition(await cluster.get(Pods, name), 'PodScheduled');
  return found?.status === 'False' ? `${found.reason}: ${found.message}` : undefined;
};

describe('placing a pod', () => {
  it('binds it and says so', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(Pods, small('p'));
    await start();
    await cluster.clock.settle();
    expect(await nodeOf('p')).toBe('n1');
    expect(cluster.events).toEqual(['default-scheduler Scheduled default/p: Successfully assigned default/p to n1']);
  });

  it('leaves pods of other schedulers alone', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(Pods, small('p', { spec: { schedulerName: 'mine' } }));
    await start();
    expect(await nodeOf('p')).toBeUndefined();
  });

  it('takes more important pods first when there is not room for all', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(Pods, asking('low', { cpu: '3' }), asking('high', { cpu: '3' }, { priorityClassName: 'p10' }));
    await start();
    expect([await nodeOf('low'), await nodeOf('high')]).toEqual([undefined, 'n1']);
  });

  it('spreads over the emptier nodes', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }), node({ metadata: { name: 'n2' } }));
    await cluster.create(Pods, ...['a', 'b', 'c', 'd'].map((name) => asking(name, { cpu: '1' })));
    await start();
    const nodes = (await cluster.list(Pods)).map(({ spec }) => spec.nodeName).sort();
    expect(nodes).toEqual(['n1', 'n1', 'n2', 'n2']);
  });

  it('never promises the same room twice', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(Pods, ...Array.from({ length: 20 }, (_, i) => asking(`p${i}`, { cpu: '1' })));
    await start();
    const bound = (await cluster.list(Pods)).filter(({ spec }) => spec.nodeName !== undefined);
    expect(bound).toHaveLength(4);
  });
});

describe('a pod that fits nowhere', () => {
  it('is told why, as kube-scheduler says it', async () => {
    await cluster.create(
      Nodes,
      node({ metadata: { name: 'full' }, status: { allocatable: { cpu: '500m', memory: '1Gi', pods: '110' } } }),
      node({ metadata: { name: 'tainted1' }, spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
      node({ metadata: { name: 'tainted2' }, spec: { taints: [{ key: 'b', effect: 'NoExecute' }] } }),
    );
    await cluster.create(Pods, asking('p', { cpu: '1' }));
    await start();
    const message =
      '0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.';
    expect(await failure('p')).toBe(`Unschedulable: ${message}`);
    expect(cluster.events).toEqual([`default-scheduler FailedScheduling default/p: ${message}`]);
  });

  it('is told that there are no nodes', async () => {
    await cluster.create(Pods, small('p'));
    await start();
    expect(await failure('p')).toBe('Unschedulable: no nodes available to schedule pods');
  });

  it('is told about nodes its affinity does not even name', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }), node({ metadata: { name: 'n2' } }));
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['n1'] }];
    const required = { nodeSelectorTerms: [{ matchFields }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    await cluster.create(Pods, asking('p', { cpu: '64' }, { affinity }));
    await start();
    expect(await failure('p')).toContain(
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    );
  });

  it('is placed as soon as a node comes that fits', async () => {
    await cluster.create(Pods, asking('p', { cpu: '2' }, { nodeSelector: { size: 'big' } }));
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await start();
    expect(await failure('p')).toContain("1 node(s) didn't match Pod's node affinity/selector");
    await cluster.create(Nodes, node({ metadata: { name: 'n2', labels: { size: 'big' } } }));
    await cluster.clock.advance(5000);
    expect(await nodeOf('p')).toBe('n2');
  });

  it('is placed when a node that came tainted loses its taint, whatever the pod was refused for before', async () => {
    await cluster.create(
      Nodes,
      node({ metadata: { name: 'full' }, status: { allocatable: { cpu: '1', pods: '10' } } }),
    );
    await cluster.create(Pods, asking('p', { cpu: '2' }));
    await start();
    const taints = [{ key: 'starting', effect: 'NoExecute' }];
    await cluster.create(Nodes, node({ metadata: { name: 'n1' }, spec: { taints } }));
    await cluster.clock.advance(5000);
    await cluster.client.patch(Nodes, { name: 'n1' }, { type: 'merge', body: { spec: { taints: null } } });
    await cluster.clock.advance(2000);
    expect(await nodeOf('p')).toBe('n1');
  });

  it('is placed when a node gets room, whatever the pod was refused for before', async () => {
    await cluster.create(
      Nodes,
      node({ metadata: { name: 'tainted' }, spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
    );
    await cluster.create(Pods, asking('p', { cpu: '2' }));
    await start();
    await cluster.create(Nodes, node({ metadata: { name: 'n1' }, status: { allocatable: { cpu: '0', pods: '0' } } }));
    await cluster.clock.advance(5000);
    expect(await nodeOf('p')).toBeUndefined();
    const body = { status: { allocatable: { cpu: '4', pods: '10' } } };
    await cluster.client.patch(Nodes, { name: 'n1' }, { type: 'merge', body }, { subresource: 'status' });
    await cluster.clock.advance(2000);
    expect(await nodeOf('p')).toBe('n1');
  });

  it('is placed when a taint goes, but not tried again for heartbeats', async () => {
    await cluster.create(
      Nodes,
      node({ metadata: { name: 'n1' }, spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
    );
    await cluster.create(Pods, small('p'));
    await start();
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Still' }];
    const beat = { type: 'merge', body: { status: { conditions } } } as const;
    await cluster.client.patch(Nodes, { name: 'n1' }, beat, { subresource: 'status' });
    await cluster.clock.advance(30_000);
    expect(cluster.events).toHaveLength(1);
    await cluster.client.patch(Nodes, { name: 'n1' }, { type: 'merge', body: { spec: { taints: null } } });
    await cluster.clock.advance(1000);
    expect(await nodeOf('p')).toBe('n1');
  });

  it('is placed when another pod makes room', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(Pods, asking('a', { cpu: '3' }));
    await start();
    await cluster.create(Pods, asking('b', { cpu: '3' }));
    await cluster.clock.settle();
    expect(await failure('b')).toContain('1 Insufficient cpu');
    expect(await failure('b')).toContain(
      'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    );
    await cluster.client.delete(Pods, { name: 'a', namespace: 'default' }, { gracePeriodSeconds: 0 });
    await cluster.clock.advance(2000);
    expect(await nodeOf('b')).toBe('n1');
  });

  it('waits for its scheduling gates', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(Pods, small('p', { spec: { schedulingGates: [{ name: 'example.com/wait' }] } }));
    await start();
    expect(await nodeOf('p')).toBeUndefined();
    const open = { type: 'merge', body: { spec: { schedulingGates: [] } } } as const;
    await cluster.client.patch(Pods, { name: 'p', namespace: 'default' }, open);
    await cluster.clock.settle();
    expect(await nodeOf('p')).toBe('n1');
  });
});

describe('filters', () => {
  const zoned = (name: string, zone: string) =>
    node({ metadata: { name, labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone } } });
  const labelled = (name: string, spec: Partial<PodSpec>): Pod =>
    pod({ metadata: { name, labels: { app: 'web' } }, spec: { ...requesting({ cpu: '100m' }), ...spec } });
  const labelSelector = { matchLabels: { app: 'web' } };

  it('keep host ports apart', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    const spec = { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] }] };
    await cluster.create(Pods, small('a', { spec }), small('b', { spec }));
    await start();
    expect(await failure('b')).toContain("1 node(s) didn't have free ports for the requested pod ports");
  });

  it('keep the skew of required spreading', async () => {
    await cluster.create(Nodes, zoned('n1', 'z1'), zoned('n2', 'z2'), zoned('n3', 'z2'));
    const topologyKey = 'topology.kubernetes.io/zone';
    const topologySpreadConstraints = [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector }];
    const names = ['a', 'b', 'c', 'd'];
    await cluster.create(Pods, ...names.map((name) => labelled(name, { topologySpreadConstraints })));
    await start();
    const zones = await Promise.all(names.map(async (name) => ((await nodeOf(name)) === 'n1' ? 'z1' : 'z2')));
    expect(zones.sort()).toEqual(['z1', 'z1', 'z2', 'z2']);
  });

  it('keep pods apart that are averse to each other, whichever came first', async () => {
    await cluster.create(Nodes, zoned('n1', 'z1'), zoned('n2', 'z2'));
    const term = { labelSelector, topologyKey: 'kubernetes.io/hostname' };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    await cluster.create(Pods, labelled('a', { affinity }), labelled('b', { affinity }), labelled('c', {}));
    await start();
    expect(new Set([await nodeOf('a'), await nodeOf('b')])).toEqual(new Set(['n1', 'n2']));
    expect(await failure('c')).toContain("2 node(s) didn't satisfy existing pods anti-affinity rules");
  });

  it('bring pods together that belong together, the first of them anywhere', async () => {
    await cluster.create(Nodes, zoned('n1', 'z1'), zoned('n2', 'z2'), zoned('n3', 'z3'));
    const term = { labelSelector, topologyKey: 'topology.kubernetes.io/zone' };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const names = ['a', 'b', 'c'];
    await cluster.create(Pods, ...names.map((name) => labelled(name, { affinity })));
    await start();
    expect(new Set(await Promise.all(names.map(nodeOf))).size).toBe(1);
  });

  it('leave cordoned nodes alone', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' }, spec: { unschedulable: true } }));
    await cluster.create(Pods, small('p'));
    await start();
    expect(await failure('p')).toContain('0/1 nodes are available: 1 node(s) were unschedulable.');
  });
});

describe('preemption', () => {
  it('removes the least important pods that make enough room, and no others', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(
      Pods,
      asking('keep', { cpu: '1' }, { priorityClassName: 'p5' }),
      asking('victim', { cpu: '2' }, { priorityClassName: 'p1', terminationGracePeriodSeconds: 30 }),
      asking('tiny', { cpu: '500m' }, { priorityClassName: 'p1' }),
    );
    await start();
    await cluster.create(Pods, asking('vip', { cpu: '2' }, { priorityClassName: 'p100' }));
    await cluster.clock.settle();
    expect((await cluster.get(Pods, 'vip')).status?.nominatedNodeName).toBe('n1');
    const victim = await cluster.get(Pods, 'victim');
    expect(victim.metadata.deletionTimestamp).toBeDefined();
    expect(cluster.events.some((event) => event.includes('Preempted default/victim: Preempted by pod '))).toBe(true);
    await cluster.client.delete(Pods, victim.metadata, { gracePeriodSeconds: 0 });
    await cluster.clock.advance(5000);
    expect(await nodeOf('vip')).toBe('n1');
    expect([await nodeOf('keep'), await nodeOf('tiny')]).toEqual(['n1', 'n1']);
  });

  it('spares pods whose budget does not allow it, when others would do', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }), node({ metadata: { name: 'n2' } }));
    const guarded = pod({
      metadata: { name: 'guarded', labels: { app: 'db' } },
      spec: { ...requesting({ cpu: '3' }), nodeSelector: { 'kubernetes.io/hostname': 'n1' } },
    });
    const free = asking(
      'free',
      { cpu: '3' },
      { nodeSelector: { 'kubernetes.io/hostname': 'n2' }, priorityClassName: 'p1' },
    );
    await cluster.create(Pods, guarded, free);
    await cluster.create(PodDisruptionBudgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'db', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'db' } } },
    });
    await start();
    await cluster.create(Pods, asking('vip', { cpu: '3' }, { priorityClassName: 'p100' }));
    await cluster.clock.settle();
    expect((await cluster.get(Pods, 'vip')).status?.nominatedNodeName).toBe('n2');
    expect((await cluster.get(Pods, 'guarded')).metadata.deletionTimestamp).toBeUndefined();
  });

  it('keeps the room it makes for the pod it was made for', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(Pods, asking('victim', { cpu: '3' }, { terminationGracePeriodSeconds: 30 }));
    await start();
    await cluster.create(Pods, asking('vip', { cpu: '4' }, { priorityClassName: 'p100' }));
    await cluster.clock.settle();
    expect((await cluster.get(Pods, 'vip')).status?.nominatedNodeName).toBe('n1');
    // One core is free, but promised.
    await cluster.create(Pods, asking('thief', { cpu: '1' }, { priorityClassName: 'p50' }));
    await cluster.clock.advance(5000);
    expect(await failure('thief')).toContain('0/1 nodes are available: 1 Insufficient cpu.');
    await cluster.client.delete(Pods, { name: 'victim', namespace: 'default' }, { gracePeriodSeconds: 0 });
    await cluster.clock.advance(5000);
    expect([await nodeOf('vip'), await nodeOf('thief')]).toEqual(['n1', undefined]);
  });

  it('is not for pods whose policy forbids it', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(Pods, asking('a', { cpu: '3' }));
    await start();
    await cluster.create(Pods, asking('vip', { cpu: '3' }, { priorityClassName: 'polite' }));
    await cluster.clock.settle();
    expect(await failure('vip')).toBe(
      'Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.',
    );
  });
});

describe('many pods', () => {
  it('are all placed', async () => {
    await cluster.create(Nodes, ...Array.from({ length: 50 }, (_, i) => node({ metadata: { name: `n${i}` } })));
    await cluster.create(Pods, ...Array.from({ length: 500 }, (_, i) => asking(`p${i}`, { cpu: '200m' })));
    await start();
    await cluster.clock.advance(1000);
    const pending = (await cluster.list(Pods)).filter(({ spec }) => !spec.nodeName);
    expect(pending).toEqual([]);
  });
});
