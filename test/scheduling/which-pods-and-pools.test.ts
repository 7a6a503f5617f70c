/** docs/karpenter-core.md sections 2 and 3: labels, taints, which pods are tried, and where. */
import { describe, expect, test } from 'vitest';
import type { KubeObject, Pod, PodSpec, Taint, Toleration } from '../../src/kube/objects.ts';
import { node, nodeClaim, nodePool, type Overrides, pod, requesting, unschedulablePod } from '../factories/index.ts';
import { claimOf, pending, pool, SMALL, soldIn, withClaim, zones } from './reported-cases.ts';
import { errors, HOSTNAME, instanceType, newNodes, onNodes, schedule, typesOf, valuesOf, ZONE } from './schedule.ts';

const small = instanceType('small', SMALL, soldIn('a', 'b', 'c'));
const ARCH = 'kubernetes.io/arch';
const required = (
  ...expressions: readonly { key: string; operator: string; values?: string[] }[]
): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: expressions }] },
    },
  },
});
const templated = (name: string, template: Overrides<ReturnType<typeof nodePool>['spec']['template']>) =>
  nodePool({ metadata: { name }, spec: { template } });

describe('2.4 labels that pods may ask for', () => {
  test.each(['node.kubernetes.io/team', 'team.k8s.io/x', 'example.com/x'])('%s is allowed', (key) => {
    const results = schedule(
      [templated('p', { metadata: { labels: { [key]: 'v' } } }), pending('p1', { nodeSelector: { [key]: 'v' } })],
      [small],
    );
    expect(newNodes(results)).toEqual([['p1']]);
  });

  test.each(['karpenter.sh/unknown', 'sub.karpenter.sh/x', 'karpenter.kwok.sh/unknown', HOSTNAME])(
    '%s is not',
    (key) => {
      const results = schedule([pool('p'), pending('p1', { nodeSelector: { [key]: 'v' } })], [small], {
        restrictedLabelDomains: new Set(['karpenter.kwok.sh']),
      });
      expect([...(results.rejected?.values() ?? [])].map(({ code }) => code)).toEqual(['RestrictedLabel']);
    },
  );
});

describe('2.5 labels that nobody has set', () => {
  test('a well-known one is left to the node that will be bought, another is not', () => {
    const results = schedule(
      [
        pool('p'),
        pending('p1', { nodeSelector: { 'topology.kubernetes.io/region': 'r' } }),
        pending('p2', { nodeSelector: { unheard: 'of' } }),
      ],
      [small],
    );
    expect(errors(results)).toEqual({ p2: 'UnknownLabelValue' });
  });

  test('on a node that is there neither is', () => {
    const bare = node({ metadata: { name: 'bare' } });
    expect(onNodes(schedule([pool('p'), bare, pending('p1', { nodeSelector: { [ZONE]: 'a' } })], [small]))).toEqual({});
  });
});

describe('2.6 old names of labels', () => {
  test.each([
    ['failure-domain.beta.kubernetes.io/zone', 'b', ZONE, 'b'],
    ['beta.kubernetes.io/arch', 'amd64', ARCH, 'amd64'],
    ['beta.kubernetes.io/os', 'linux', 'kubernetes.io/os', 'linux'],
    ['beta.kubernetes.io/instance-type', 'small', 'node.kubernetes.io/instance-type', 'small'],
  ])('%s is read as the new one', (old, value, key, expected) => {
    const results = schedule([pool('p'), pending('p1', { nodeSelector: { [old]: value } })], [small]);
    expect(errors(results)).toEqual({});
    expect(valuesOf(results, key)).toEqual([expected]);
  });
});

describe('2.7 taints that pass', () => {
  const starting = (taint: Taint, initialized: boolean): readonly KubeObject[] => {
    const labels = {
      'karpenter.sh/nodepool': 'p',
      'karpenter.sh/registered': 'true',
      'node.kubernetes.io/instance-type': 'small',
      ...(initialized ? { 'karpenter.sh/initialized': 'true' } : {}),
    };
    const claim = nodeClaim({
      metadata: { name: 'n', labels },
      spec: { startupTaints: [{ key: 'example.com/agent', value: 'a', effect: 'NoExecute' }] },
      status: { providerID: 'x://n', allocatable: { cpu: '4', memory: '8Gi', pods: '10' } },
    });
    return [claim, node({ metadata: { name: 'n', labels }, spec: { providerID: 'x://n', taints: [taint] } })];
  };

  test.each<[string, Taint['effect'], boolean]>([
    ['node.kubernetes.io/not-ready', 'NoSchedule', true],
    ['node.kubernetes.io/not-ready', 'NoExecute', true],
    ['node.kubernetes.io/unreachable', 'NoSchedule', true],
    ['node.kubernetes.io/unreachable', 'NoExecute', false],
    ['node.cloudprovider.kubernetes.io/uninitialized', 'NoSchedule', true],
    ['karpenter.sh/unregistered', 'NoExecute', true],
    ['readiness.k8s.io/network', 'NoSchedule', true],
    ['example.com/agent', 'NoExecute', true],
    ['example.com/agent', 'NoSchedule', false],
    ['example.com/other', 'NoSchedule', false],
  ])('%s:%s is overlooked while the node starts: %s, and never afterwards', (key, effect, overlooked) => {
    const taint = { key, value: 'whatever', effect };
    const on = (initialized: boolean) =>
      onNodes(schedule([pool('p'), ...starting(taint, initialized), pending('p1')], [small]));
    expect([on(false), on(true)]).toEqual([overlooked ? { n: ['p1'] } : {}, {}]);
  });
});

describe('2.8 tolerations', () => {
  const taint = { key: 'size', value: '5', effect: 'NoSchedule' } as const;
  test.each<[string, Toleration, boolean]>([
    ['the same key, value and effect', { key: 'size', operator: 'Equal', value: '5', effect: 'NoSchedule' }, true],
    ['no operator, which means Equal', { key: 'size', value: '5' }, true],
    ['another value', { key: 'size', value: '6' }, false],
    ['the key alone', { key: 'size', operator: 'Exists' }, true],
    ['another effect', { key: 'size', operator: 'Exists', effect: 'NoExecute' }, false],
    ['everything', { operator: 'Exists' }, true],
    ['more than four', { key: 'size', operator: 'Gt', value: '4' }, true],
    ['more than five', { key: 'size', operator: 'Gt', value: '5' }, false],
    ['less than six', { key: 'size', operator: 'Lt', value: '6' }, true],
  ])('%s', (_, toleration, fits) => {
    const tainted = templated('p', { spec: { taints: [taint] } });
    const results = schedule([tainted, pending('p1', { tolerations: [toleration] })], [small]);
    expect(errors(results)).toEqual(fits ? {} : { p1: 'TaintNotTolerated' });
  });
});

describe('3.1 pods that are provisioned for', () => {
  const owned = (kind: string, apiVersion: string): Overrides<Pod> => ({
    metadata: { ownerReferences: [{ apiVersion, kind, name: 'o', uid: 'o' }] },
  });
  test.each<[string, Pod, number]>([
    ['one that the scheduler refused', unschedulablePod(), 1],
    ['one that it has not seen', pod(), 0],
    [
      'one that waits behind a gate',
      pod({ status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] } }),
      0,
    ],
    ['one that was promised a node', unschedulablePod({ status: { nominatedNodeName: 'n' } }), 0],
    ['one of a DaemonSet', unschedulablePod(owned('DaemonSet', 'apps/v1')), 0],
    ['one of a kind that is only called so', unschedulablePod(owned('DaemonSet', 'example.com/v1')), 1],
    ['a mirror of a static pod', unschedulablePod(owned('Node', 'v1')), 0],
  ])('%s', (_, one, nodes) => {
    expect(schedule([pool('p'), one], [small]).newNodeClaims).toHaveLength(nodes);
  });
});

describe('3.3 pods of nodes on their way out', () => {
  const labels = {
    'karpenter.sh/nodepool': 'p',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    'node.kubernetes.io/instance-type': 'small',
  };
  const going = [
    nodeClaim({
      metadata: { name: 'n', labels, deletionTimestamp: '2026-11-30T00:00:00Z' },
      status: { providerID: 'x://n' },
    }),
    node({ metadata: { name: 'n', labels }, spec: { providerID: 'x://n' } }),
  ];
  const running = (overrides: Overrides<Pod> = {}) =>
    pod({
      ...overrides,
      metadata: { name: 'p1', labels: { app: 'a' }, ...overrides.metadata },
      spec: { ...requesting({ cpu: '1' }), nodeName: 'n' },
      status: { phase: 'Running', ...overrides.status },
    });
  const owned = (kind: string) => [{ apiVersion: 'apps/v1', kind, name: 'o', uid: 'o' }];
  const budget = (spec: object) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'a' } }, ...spec },
  });

  test.each<[string, readonly KubeObject[], boolean]>([
    ['a running one moves', [running()], true],
    ['one that has ended does not', [running({ status: { phase: 'Succeeded' } })], false],
    [
      'one that is ending does not',
      [running({ metadata: { deletionTimestamp: '2026-11-30T23:59:00Z', ownerReferences: owned('ReplicaSet') } })],
      false,
    ],
    [
      'but its successor does, if it is of a StatefulSet',
      [running({ metadata: { deletionTimestamp: '2026-11-30T23:59:00Z', ownerReferences: owned('StatefulSet') } })],
      true,
    ],
    ['one of a DaemonSet does not', [running({ metadata: { ownerReferences: owned('DaemonSet') } })], false],
    [
      'a protected one does not',
      [running({ metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } })],
      false,
    ],
    ['one that no budget will ever let go does not', [running(), budget({ maxUnavailable: 0 })], false],
    ['one that a budget keeps just now does', [running(), budget({ minAvailable: 1 })], true],
  ])('%s', (_, objects, moves) => {
    expect(newNodes(schedule([pool('p'), ...going, ...objects], [small]))).toEqual(moves ? [['p1']] : []);
  });
});

describe('3.4 pods that are refused before they are tried', () => {
  const why = (spec: Partial<PodSpec>) =>
    [...(schedule([pool('p'), pending('p1', spec)], [small]).rejected?.values() ?? [])]
      .map(({ message }) => message)
      .join();

  test('for a required term about fields', () => {
    const fields = [{ key: 'metadata.name', operator: 'In', values: ['n'] }];
    const spec: Partial<PodSpec> = {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: fields }] },
        },
      },
    };
    expect(why(spec)).toMatch(/matchFields is not supported/);
  });

  test('for any of the alternatives, though another would do', () => {
    const spec = required({ key: 'a', operator: 'Exists' });
    const terms = [
      ...(spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []),
      { matchExpressions: [{ key: HOSTNAME, operator: 'In', values: ['n'] }] },
    ];
    expect(
      why({
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
      }),
    ).toMatch(/kubernetes\.io\/hostname/);
  });

  test('but not for what they merely prefer', () => {
    const preference = { matchExpressions: [{ key: HOSTNAME, operator: 'In', values: ['n'] }] };
    const spec: Partial<PodSpec> = {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] } },
    };
    expect(why(spec)).toBe('');
    expect(newNodes(schedule([pool('p'), pending('p1', spec)], [small]))).toEqual([['p1']]);
  });
});

describe('3.5 pools that are tried', () => {
  const chosen = (...pools: readonly KubeObject[]) =>
    schedule([...pools, pending('p1')], [small]).newNodeClaims.map(({ nodePool: { metadata } }) => metadata.name);
  const weighing = (name: string, weight: number) => pool(name, [], { weight });

  test('the heaviest first, one without a weight last', () => {
    expect(chosen(pool('z'), weighing('b', 10), weighing('a', 50))).toEqual(['a']);
    expect(chosen(pool('z'), weighing('b', 10))).toEqual(['b']);
  });

  test('none that is not ready or is being deleted', () => {
    const unready = { ...weighing('a', 50), status: { conditions: [{ type: 'Ready', status: 'False' as const }] } };
    const leaving = { ...weighing('b', 40), metadata: { name: 'b', deletionTimestamp: '2026-11-30T00:00:00Z' } };
    expect(chosen(unready, leaving, pool('c'))).toEqual(['c']);
  });

  test('the next one, where the first can not', () => {
    expect(chosen(pool('c', zones('nowhere'), { weight: 9 }), pool('d'))).toEqual(['d']);
  });
});

describe('3.6 PVC validation', () => {
  const storageClass = (rest: object = {}): KubeObject => ({
    kind: 'StorageClass',
    metadata: { name: 'disk' },
    ...{ provisioner: 'disk.example.com', volumeBindingMode: 'WaitForFirstConsumer', ...rest },
  });
  const claim = (spec: object, metadata: object = {}, rest: object = {}): KubeObject => ({
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default', ...metadata },
    ...{ spec, ...rest },
  });
  const bound = { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } };
  const volume = (metadata: object = {}): KubeObject => ({
    kind: 'PersistentVolume',
    metadata: { name: 'pv', ...metadata },
    ...{ spec: { csi: { driver: 'disk.example.com' } } },
  });
  const leaving = { deletionTimestamp: '2026-11-30T00:00:00Z' };

  test.each<[string, readonly KubeObject[], string]>([
    ['is not there', [], 'not found'],
    ['is being deleted', [claim({ storageClassName: 'disk' }, leaving), storageClass()], 'deleted'],
    ['is lost', [claim({ volumeName: 'pv' }, bound, { status: { phase: 'Lost' } })], 'non-existent'],
    ['has a volume that is not there', [claim({ volumeName: 'pv' }, bound)], 'PersistentVolume "pv" not found'],
    [
      'has a volume that is being deleted',
      [claim({ volumeName: 'pv' }, bound), volume(leaving)],
      'persistentvolume is being deleted',
    ],
    ['is not bound for good', [claim({ volumeName: 'pv' }), volume()], 'considered unbound'],
    ['has no class', [claim({})], 'must define a storage class'],
    [
      'has a class that is not there',
      [claim({ storageClassName: 'disk' })],
      'StorageClass.storage.k8s.io "disk" not found',
    ],
    [
      'should have been bound at once',
      [claim({ storageClassName: 'disk' }), storageClass({ volumeBindingMode: 'Immediate' })],
      'immediate',
    ],
  ])('a pod is refused when its claim %s', (_, objects, message) => {
    const results = schedule([pool('p'), ...objects, pending('p1', withClaim('data'))], [small]);
    const [error] = results.rejected?.values() ?? [];
    expect([error?.code, error?.message]).toEqual(['VolumeInvalid', expect.stringContaining(message)]);
  });

  test.each<[string, readonly KubeObject[]]>([
    ['waits for its first pod', [claim({ storageClassName: 'disk' }), storageClass()]],
    ['is bound', [claim({ volumeName: 'pv' }, bound), volume()]],
  ])('and taken when it %s', (_, objects) => {
    expect(newNodes(schedule([pool('p'), ...objects, pending('p1', withClaim('data'))], [small]))).toEqual([['p1']]);
  });

  test('the claim of a volume that lives with the pod is called after both', () => {
    const spec = { volumes: [{ name: 'data', ephemeral: { volumeClaimTemplate: { spec: {} } } }] };
    const own = claim({ storageClassName: 'disk' }, { name: 'p1-data' });
    expect(newNodes(schedule([pool('p'), own, storageClass(), pending('p1', spec)], [small]))).toEqual([['p1']]);
    expect(schedule([pool('p'), storageClass(), pending('p1', spec)], [small]).rejected?.size).toBe(1);
  });
});

describe('3.7 where volumes let a pod be', () => {
  const local = (name: string, expressions: readonly object[]): readonly KubeObject[] => [
    {
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'default', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      ...{ spec: { volumeName: `v-${name}` } },
    },
    {
      kind: 'PersistentVolume',
      metadata: { name: `v-${name}` },
      ...{
        spec: { local: {}, nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: expressions }] } } },
      },
    },
  ];
  const here = { key: HOSTNAME, operator: 'In', values: ['gone'] };

  test('a local disk does not ask for its old host', () => {
    expect(
      newNodes(schedule([pool('p'), ...local('data', [here]), pending('p1', withClaim('data'))], [small])),
    ).toEqual([['p1']]);
  });

  test('but for what else is said of it', () => {
    const zone = { key: ZONE, operator: 'In', values: ['b'] };
    expect(
      valuesOf(schedule([pool('p'), ...local('data', [here, zone]), pending('p1', withClaim('data'))], [small]), ZONE),
    ).toEqual(['b']);
  });

  test('a disk of another kind does ask for its host', () => {
    const [claim, volume] = local('data', [here]);
    if (!claim || !volume) throw new Error('no volume');
    const remote = {
      ...volume,
      spec: {
        csi: { driver: 'disk.example.com' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } },
      },
    };
    expect(errors(schedule([pool('p'), claim, remote, pending('p1', withClaim('data'))], [small]))).toEqual({
      p1: 'VolumeTopology',
    });
  });

  test('two volumes in one zone go together, in two zones nowhere', () => {
    const two = { volumes: ['x', 'y'].map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) };
    const planned = (first: string, second: string) =>
      schedule([pool('p'), ...claimOf('x', 'vx', first), ...claimOf('y', 'vy', second), pending('p1', two)], [small]);
    expect(valuesOf(planned('b', 'b'), ZONE)).toEqual(['b']);
    expect(errors(planned('a', 'b'))).toEqual({ p1: expect.any(String) });
  });
});

describe('3.8 daemons', () => {
  const daemonSet = (spec: Partial<PodSpec>): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'd', namespace: 'default', uid: 'd' },
    ...{ spec: { selector: {}, template: { spec: { containers: [], ...spec } } } },
  });
  const running = (name: string, cpu: string, creationTimestamp: string, spec: Partial<PodSpec> = {}) =>
    pod({
      metadata: {
        name,
        creationTimestamp,
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }],
      },
      spec: { ...requesting({ cpu }), nodeName: 'elsewhere', ...spec },
    });
  const types = [
    instanceType('c-4', { cpu: '4', memory: '16Gi' }),
    instanceType('c-8', { cpu: '8', memory: '32Gi' }, [{ price: 2 }]),
  ];
  const cheapest = (...objects: readonly KubeObject[]) =>
    typesOf(schedule([pool('p'), ...objects, pending('p1', requesting({ cpu: '3' }))], types))[0]?.[0];

  test('weigh what the newest of their pods asks for, not what the template says', () => {
    const set = daemonSet(requesting({ cpu: '100m' }));
    expect(cheapest(set)).toBe('c-4');
    expect(
      cheapest(set, running('d1', '2', '2026-02-01T00:00:00Z'), running('d0', '100m', '2026-01-01T00:00:00Z')),
    ).toBe('c-8');
  });

  test('are not tied to the node that the pod which was looked at runs on', () => {
    const tied: Partial<PodSpec> = {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['elsewhere'] }] }],
          },
        },
      },
    };
    const set = daemonSet({
      ...requesting({ cpu: '2' }),
      ...required({ key: ARCH, operator: 'In', values: ['amd64'] }),
    });
    expect(cheapest(set, running('d1', '2', '2026-02-01T00:00:00Z', tied))).toBe('c-8');
  });

  test('that limit without asking ask for their limit', () => {
    const container = { name: 'main', image: 'pause', resources: { limits: { cpu: '2' } } };
    expect(cheapest(daemonSet({ containers: [container] }))).toBe('c-8');
  });

  test('with resource claims are left out while these are ignored', () => {
    const spec = { ...requesting({ cpu: '2' }), resourceClaims: [{ name: 'gpu' }] };
    expect(cheapest(daemonSet(spec))).toBe('c-4');
  });

  test('that do not tolerate the pool weigh nothing there', () => {
    const tainted = templated('p', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } });
    const tolerant = { ...requesting({ cpu: '3' }), tolerations: [{ operator: 'Exists' }] };
    const results = schedule([tainted, daemonSet(requesting({ cpu: '2' })), pending('p1', tolerant)], types);
    expect(typesOf(results)[0]?.[0]).toBe('c-4');
  });
});
