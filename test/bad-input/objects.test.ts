import { describe, expect, test } from 'vitest';
import type { PodSpec } from '../../src/kube/objects.ts';
import { runProgram } from './run-program.ts';

const SETTING = ['--from', '-', '--now', '2026-03-01T12:00:00Z'];
const ARCH = 'kubernetes.io/arch';
const pool = (spec: object = {}, template: object = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'general' },
  spec: {
    disruption: { consolidateAfter: '0s' },
    ...spec,
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
        requirements: [],
        ...template,
      },
    },
  },
});
const pod = (spec: Partial<PodSpec> = {}, requests: object = { cpu: '1' }, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...metadata },
  spec: { containers: [{ name: 'a', resources: { requests } }], ...spec },
});
const node = (rest: object = {}, labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels },
  spec: { providerID: 'cloud://n' },
  status: { allocatable: { cpu: '8', memory: '16Gi', pods: '10' } },
  ...rest,
});
const required = (key: string, operator: string, ...values: string[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator, values }] }],
      },
    },
  },
});
const near = (
  kind: 'podAffinity' | 'podAntiAffinity',
  app: string,
  topologyKey = 'kubernetes.io/hostname',
): Partial<PodSpec> => ({
  affinity: {
    [kind]: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }],
    },
  },
});
const spread = (topologyKey: string, rest: object = {}): Partial<PodSpec> => ({
  topologySpreadConstraints: [
    { topologyKey, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector: {}, ...rest },
  ],
});
const app = (name: string) => ({ name, labels: { app: name } });
const volume: Partial<PodSpec> = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] };
const claim = (spec: object) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
  spec,
});
const numbered = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

interface Plan {
  readonly newNodeClaims: readonly { readonly pods: readonly string[] }[];
  readonly existingNodes: Readonly<Record<string, readonly string[]>>;
  readonly podErrors: Readonly<Record<string, { readonly code: string }>>;
}

async function plan(objects: readonly object[]): Promise<string> {
  const { stdout, stderr } = await runProgram(['plan', '-o', 'json', ...SETTING], JSON.stringify(objects));
  expect(stderr).toBe('');
  const { newNodeClaims, existingNodes, podErrors } = JSON.parse(stdout) as Plan;
  return [
    ...newNodeClaims.map(({ pods }) => `new: ${pods.join(' ')}`),
    ...Object.entries(existingNodes).map(([name, pods]) => `${name}: ${pods.join(' ')}`),
    ...Object.entries(podErrors).map(([name, { code }]) => `${name}: ${code}`),
  ]
    .join(', ')
    .replaceAll('default/', '');
}

const NEW = 'new: p';

describe('requests', () => {
  test.each([
    ...['100m', '0.1', '.5', '1.', '+1', '1e0', '1E0', '1e-3', '1n', '1u', '0', '1e-400', ' 1 ', 1, 1.5].map(
      (cpu) => [cpu, NEW] as const,
    ),
    ...['1e3', '1k', '1Ki', '1Ei', '1E', '1e30', '1e400', '9223372036854775807', '99999999999999999999', 1e30].map(
      (cpu) => [cpu, 'p: InsufficientResources'] as const,
    ),
  ])('of %j CPUs are understood', async (cpu, outcome) => {
    expect(await plan([pool(), pod({}, { cpu })])).toBe(outcome);
  });

  test.each([
    ['0x10', 'quantities must match'],
    ['1_000', 'quantities must match'],
    ['१', 'quantities must match'],
    ['', 'quantities must match'],
    [[], 'quantities must match'],
    ['-1', 'spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
  ])('of %j CPUs are refused', async (cpu, words) => {
    const { code, stderr } = await runProgram(['plan', ...SETTING], JSON.stringify([pool(), pod({}, { cpu })]));
    expect(code).toBe(1);
    expect(stderr).toContain(words);
  });
});

describe('objects that contradict themselves or each other', () => {
  test.each<readonly [what: string, objects: readonly object[], outcome: string]>([
    [
      'a pod that wants two architectures',
      [pool(), pod({ nodeSelector: { [ARCH]: 'amd64' }, ...required(ARCH, 'In', 'arm64') })],
      'p: NoInstanceType',
    ],
    [
      'a pool that wants none of what it wants',
      [
        pool(
          {},
          {
            requirements: [
              { key: ARCH, operator: 'In', values: ['amd64'] },
              { key: ARCH, operator: 'NotIn', values: ['amd64'] },
            ],
          },
        ),
        pod(),
      ],
      'p: NoInstanceType',
    ],
    [
      'a bound beyond all numbers',
      [pool(), pod(required('karpenter.kwok.sh/instance-cpu', 'Gt', '99999999999999999999'))],
      'p: NoInstanceType',
    ],
    [
      'a bound that is no number',
      [pool(), pod(required('karpenter.kwok.sh/instance-cpu', 'Gt', 'many'))],
      'p: RestrictedLabel',
    ],
    ['an operator that is none', [pool(), pod(required(ARCH, 'Is', 'x'), {}, { uid: 'saved' })], ''],
    [
      'pods that each wait for the other',
      [pool(), pod(near('podAffinity', 'b'), {}, app('a')), pod(near('podAffinity', 'a'), {}, app('b'))],
      'a: PodAffinity, b: PodAffinity',
    ],
    [
      'pods that keep away from their like',
      [pool(), ...['a', 'b', 'c'].map((name) => pod(near('podAntiAffinity', 'x'), {}, { name, labels: { app: 'x' } }))],
      'new: a, new: b, new: c',
    ],
    ['a spread over a label that nothing has', [pool(), pod(spread('rack'))], 'p: TopologySpread'],
    [
      'a spread without a selector',
      [pool(), pod(spread('topology.kubernetes.io/zone', { labelSelector: undefined }))],
      NEW,
    ],
    [
      'a spread over more zones than there are',
      [pool(), pod(spread('topology.kubernetes.io/zone', { minDomains: 2 ** 31 - 1, maxSkew: 2 ** 31 - 1 }))],
      NEW,
    ],
  ])('%s: there is an answer', async (_, objects, outcome) => {
    expect(await plan(objects)).toBe(outcome);
  });
});

describe('objects that are incomplete', () => {
  const launched = { providerID: 'cloud://c' };
  const nodeClaim = (status: object) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'c', labels: { 'karpenter.sh/nodepool': 'general' } },
    spec: { nodeClassRef: { group: 'a', kind: 'B', name: 'c' }, requirements: [] },
    status,
  });
  test.each<readonly [what: string, objects: readonly object[], outcome: string]>([
    ['a pod whose claim is missing', [pool(), pod(volume)], 'p: VolumeInvalid'],
    ['a claim whose volume is missing', [pool(), pod(volume), claim({ volumeName: 'gone' })], 'p: VolumeInvalid'],
    ['a claim whose class is missing', [pool(), pod(volume), claim({ storageClassName: 'gone' })], 'p: VolumeInvalid'],
    ['a claim without volume or class', [pool(), pod(volume), claim({})], 'p: VolumeInvalid'],
    ['a node without a status', [pool(), { ...node(), status: undefined }, pod()], NEW],
    ['a node without a spec', [pool(), { ...node(), spec: undefined }, pod()], 'n: p'],
    [
      'a node of an unknown type',
      [pool(), node({}, { 'karpenter.sh/nodepool': 'general', 'node.kubernetes.io/instance-type': 'nope' }), pod()],
      'n: p',
    ],
    ['a node with less than nothing', [pool(), node({ status: { allocatable: { cpu: '-1' } } }), pod()], NEW],
    ['a claim that has not been launched', [pool(), nodeClaim({}), pod()], NEW],
    ['a launched claim that says nothing of its size', [pool(), nodeClaim(launched), pod()], NEW],
    ['no pool', [pod()], 'p: NoNodePools'],
  ])('%s: there is an answer', async (_, objects, outcome) => {
    expect(await plan(objects)).toBe(outcome);
  });
});

describe('names that mean something to JavaScript', () => {
  const keys = ['constructor', 'toString', 'valueOf', 'hasOwnProperty'];
  const labels = Object.fromEntries(keys.map((key) => [key, 'a']));
  test.each(keys)('%s is a label like any other', async (key) => {
    expect(await plan([pool(), node(), pod({ nodeSelector: { [key]: 'a' } })])).toBe('p: UnknownLabelValue');
    expect(await plan([pool(), node({}, labels), pod({ nodeSelector: { [key]: 'a' } })])).toBe('n: p');
    expect(await plan([pool(), node(), pod(spread(key))])).toBe('p: TopologySpread');
    expect(await plan([pool(), node({}, labels), pod(spread(key))])).toBe('n: p');
    expect(await plan([pool(), node(), pod(spread('topology.kubernetes.io/zone', { matchLabelKeys: [key] }))])).toBe(
      NEW,
    );
    expect(await plan([pool(), node({}, labels), pod(near('podAntiAffinity', 'p', key), {}, app('p'))])).toBe('n: p');
  });

  test.each([...keys, '__proto__'])('%s is a name like any other, and no resource', async (name) => {
    expect(await plan([pool({ limits: { [name]: '5', cpu: '100' } }), pod({}, {}, { name })])).toBe(`new: ${name}`);
    const asked = await runProgram(['explain', 'pod', name, ...SETTING], JSON.stringify([pool()]));
    expect(asked.stderr).toContain(`pod "${name}" not found`);
    const selected = JSON.stringify([pool(), pod({}, JSON.parse(`{"${name}":"1"}`))]);
    expect((await runProgram(['plan', ...SETTING], selected)).stderr).not.toContain('KE9001');
  });
});

describe('a great many', () => {
  test('taints', async () => {
    const taints = numbered(2000, (i) => ({ key: `t${i}`, effect: 'NoSchedule' }));
    const tolerant = pod({ tolerations: taints.map(({ key }) => ({ key, operator: 'Exists' })) });
    expect(await plan([pool({}, { taints }), tolerant, pod({}, {}, { name: 'q' })])).toBe(
      'new: p, q: TaintNotTolerated',
    );
  });

  test('labels', async () => {
    const labels = Object.fromEntries(numbered(10_000, (i) => [`l${i}`, 'v']));
    expect(await plan([pool(), pod({}, {}, { labels })])).toBe(NEW);
    expect(await plan([pool(), pod({ nodeSelector: labels })])).toBe('p: UnknownLabelValue');
    expect(await plan([pool(), node({}, labels), pod({ nodeSelector: labels })])).toBe('n: p');
  });
});

test('of objects that are given twice the last counts, and they are named', async () => {
  const first = pod({}, { cpu: '1000' });
  const { stdout, stderr } = await runProgram(
    ['plan', '-o', 'json', ...SETTING],
    JSON.stringify([first, pool(), pod(), pool()]),
  );
  expect(stderr).toContain('given more than once, the last counts: Pod p, NodePool general');
  expect((JSON.parse(stdout) as Plan).newNodeClaims).toHaveLength(1);
});

test('a budget whose selector can not be read protects nothing', async () => {
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: 'default', uid: 'saved' },
    spec: { maxUnavailable: 0, selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
  };
  const input = JSON.stringify([pool(), node(), pod({ nodeName: 'n' }), budget]);
  expect(await runProgram(['consolidate', '--dry-run', ...SETTING], input)).toMatchObject({ code: 0, stderr: '' });
});
