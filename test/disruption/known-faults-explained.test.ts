/** What the program says of cases from users' reports; the numbers are those of test/known-faults.ts. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NodePool } from '../../src/apis/node-pool.ts';
import type { KubeObject, PodSpec } from '../../src/kube/objects.ts';
import type { StateNode } from '../../src/scheduling/index.ts';
import { boundPod, nodePool, requesting, runningNode, unschedulablePod } from '../factories/index.ts';
import { cli } from '../support/run-cli.ts';

const NOW = ['--now', '2026-03-04T12:00:00Z'];
const types = (...values: string[]) => [
  { key: 'node.kubernetes.io/instance-type', operator: 'In', values } as const,
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] } as const,
];
const halves = ({ node, nodeClaim }: StateNode): readonly KubeObject[] => [
  { ...node, apiVersion: 'v1', kind: 'Node' } as KubeObject,
  { ...nodeClaim, apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim' } as KubeObject,
];
const ready = (pool: NodePool): NodePool => ({ ...pool, status: { conditions: [{ type: 'Ready', status: 'True' }] } });

/** The program's answer about a saved cluster; `edits` are the objects of `-f`. */
async function ask(
  objects: readonly KubeObject[],
  args: readonly string[],
  edits: readonly KubeObject[] = [],
): Promise<string> {
  await using program = await cli();
  const save = async (name: string, items: readonly KubeObject[]) => {
    const path = join(program.home, name);
    await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    return path;
  };
  const from = ['--from', await save('cluster.json', objects), ...NOW];
  const changed = edits.length > 0 ? ['--diff', '-f', await save('edits.json', edits)] : [];
  const { stdout, stderr } = await program.run([...args, ...changed, ...from]);
  expect(stderr).toBe('');
  return stdout;
}

test('B10: a node whose pods only prefer to be apart is told that this is what keeps it', async () => {
  const pool = nodePool({
    metadata: { name: 'p' },
    spec: { template: { spec: { requirements: types('c-16x-amd64-linux', 'c-2x-amd64-linux') } } },
  });
  const node = runningNode({ pool, name: 'big', instanceType: 'c-16x-amd64-linux' });
  const apart: Partial<PodSpec> = {
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'dns' } } },
          },
        ],
      },
    },
  };
  const pods = Array.from({ length: 9 }, (_, i) =>
    boundPod(node, { cpu: '100m' }, { metadata: { name: `dns-${i}`, labels: { app: 'dns' } }, spec: apart }),
  );
  const text = await ask([ready(pool), ...halves(node), ...pods], ['explain', 'node', 'big']);
  expect(text).toContain("NeedsSeveralNodes  Can't remove without creating 9 candidates");
  expect(text).toMatch(
    /were it not for what its pods prefer \(preferred podAntiAffinity over kubernetes\.io\/hostname\), 1 new node at \$\S+ would do/,
  );
});

test('B16: a pod is told of a rule about a label that no node has', async () => {
  const pool = nodePool({ metadata: { name: 'p' } });
  const node = runningNode({ pool, name: 'n' });
  const terms = ['failure-domain.example.com/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
    topologyKey,
    labelSelector: { matchLabels: { app: 'a' } },
  }));
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  const pod = boundPod(node, { cpu: '1' }, { metadata: { name: 'asked' }, spec: { affinity } });
  const text = await ask([ready(pool), ...halves(node), pod], ['explain', 'pod', 'asked']);
  expect(text.match(/.*which no node has.*/g)).toEqual([
    '  its anti-affinity is about failure-domain.example.com/hostname, which no node has: it keeps nothing apart',
  ]);
});

test('B28: the order of pools is said where several could have had the pod', async () => {
  const pools = ['p', 'p-2', 'p-3'].map((name) => ready(nodePool({ metadata: { name } })));
  const text = await ask([...pools, unschedulablePod({ metadata: { name: 'asked' } })], ['explain', 'pod', 'asked']);
  expect(text).toContain('NodePool p-3');
  expect(text).toMatch(/NodePool p-2 would take it too, .* of equal weight, and p-3 goes first by name/);
});

test('B34: a node that stays for its volumes says that others can attach no more', async () => {
  const pool = nodePool({
    metadata: { name: 'p' },
    spec: { template: { spec: { requirements: types('c-16x-amd64-linux') } } },
  });
  const nodes = ['a', 'b'].map((name) => runningNode({ pool, name, instanceType: 'c-16x-amd64-linux' }));
  const driver = 'disk.example.com';
  const storage = (i: number): readonly KubeObject[] => [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: `c${i}`, namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      ...{ spec: { volumeName: `v${i}` } },
    },
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: `v${i}` }, ...{ spec: { csi: { driver } } } },
  ];
  const objects = nodes.flatMap((node, i) => [
    ...halves(node),
    ...storage(i),
    boundPod(
      node,
      { cpu: '1' },
      {
        metadata: { name: `p${i}` },
        spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `c${i}` } }] },
      },
    ),
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: node.node?.metadata.name ?? '' },
      ...{ spec: { drivers: [{ name: driver, allocatable: { count: 1 } }] } },
    },
  ]);
  const text = await ask([ready(pool), ...objects], ['explain', 'node', 'a']);
  expect(text).toContain('It stays');
  expect(text).toContain('no room for default/p0 on nodes that are there: VolumeLimit on 1 node');
});

test('B50: pods beyond a limit on nodes are told how much of it is used', async () => {
  const pool = nodePool({ metadata: { name: 'p' }, spec: { limits: { nodes: '3' } } });
  const nodes = ['a', 'b', 'c'].map((name) => runningNode({ pool, name }));
  const asked = unschedulablePod({ metadata: { name: 'asked' }, spec: requesting({ cpu: '10' }) });
  const text = await ask([ready(pool), ...nodes.flatMap(halves), asked], ['explain', 'pod', 'asked']);
  expect(text).toMatch(/NodePoolLimit .*the limit leaves nodes 0 of 3/);
});

test('B54: a pod is told that a static pool does not grow for it', async () => {
  const pool = nodePool({ metadata: { name: 'fixed' }, spec: { replicas: 2, limits: { nodes: '4' } } });
  const text = await ask([ready(pool), unschedulablePod({ metadata: { name: 'asked' } })], ['explain', 'pod', 'asked']);
  expect(text).toMatch(/nodepool\/fixed\n.*StaticNodePool +static pool: pending pods never add nodes/);
});

test('B58: a schedule that can not be read is named where the node is asked about', async () => {
  const budgets = [{ nodes: '1', schedule: '0 9 * * sat-sun', duration: '8h' }];
  const pool = nodePool({ metadata: { name: 'p' }, spec: { disruption: { budgets } } });
  const text = await ask([ready(pool), ...halves(runningNode({ pool, name: 'n' }))], ['explain', 'node', 'n']);
  expect(text).toContain('spec.disruption.budgets[0].schedule "0 9 * * sat-sun" can\'t be read');
});

test('B80: a requirement on a label that older claims lack affects no node whose type meets it', async () => {
  const edited = (values: readonly string[]) =>
    nodePool({
      metadata: { name: 'p' },
      spec: {
        template: { spec: { requirements: [{ key: 'karpenter.kwok.sh/instance-family', operator: 'In', values }] } },
      },
    });
  const pool = nodePool({ metadata: { name: 'p' } });
  const old = runningNode({ pool, name: 'old', instanceType: 'c-8x-amd64-linux' });
  const drifting = async (...families: string[]) => {
    const report = await ask([ready(pool), ...halves(old)], ['plan', '-o', 'json'], [edited(families)]);
    return (JSON.parse(report) as { drift: { node: string }[] }).drift.map(({ node }) => node);
  };
  expect(await drifting('c', 'm')).toEqual([]);
  expect(await drifting('m')).toEqual(['old']);
});
