/** Cases from users' reports about upstream; the numbers are those of test/known-faults.ts. */
import { describe, expect, test } from 'vitest';
import type { KubeObject, PodSpec } from '../../src/kube/objects.ts';
import { node, nodeClaim, nodePool, pod, requesting } from '../factories/index.ts';
import { inZones, pending, pool, SMALL } from './reported-cases.ts';
import { errors, HOSTNAME, instanceType, newNodes, onNodes, schedule, typesOf, ZONE } from './schedule.ts';

describe('daemons and resources', () => {
  const daemon = (spec: Partial<PodSpec>, rest: object = {}): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'daemon', namespace: 'default' },
    ...{ spec: { selector: {}, template: { metadata: {}, spec: { containers: [], ...spec } } }, ...rest },
  });
  const small = instanceType('small-1', { cpu: '4100m', memory: '16Gi' }, [{ price: 1 }]);
  const big = instanceType('big-1', { cpu: '8100m', memory: '32Gi' }, [{ price: 2 }]);
  const onBigOnly = daemon({
    ...requesting({ cpu: '1' }),
    nodeSelector: { 'karpenter.kwok.sh/instance-family': 'big' },
  });

  test('B36: a daemon that runs on some types only weighs on those', () => {
    const results = schedule([pool('p'), onBigOnly, pending('p', requesting({ cpu: '3500m' }))], [small, big]);
    expect(typesOf(results)[0]?.[0]).toBe('small-1');
    const tooBig = schedule([pool('p'), onBigOnly, pending('p', requesting({ cpu: '7500m' }))], [small, big]);
    expect(errors(tooBig)).toEqual({ p: 'InsufficientResources' });
  });

  test('B38: defaults of a LimitRange count for daemons that ask for nothing', () => {
    const limits: KubeObject = {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'limits', namespace: 'default' },
      ...{ spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '1' } }] } },
    };
    const silent = daemon({ containers: [{ name: 'main', image: 'pause' }] });
    const types = [
      instanceType('x-16', { cpu: '16', memory: '64Gi' }),
      instanceType('x-32', { cpu: '32', memory: '64Gi' }, [{ price: 2 }]),
    ];
    expect(typesOf(schedule([pool('p'), silent, limits, pending('p', requesting({ cpu: '15' }))], types))).toEqual([
      ['x-32'],
    ]);
    expect(typesOf(schedule([pool('p'), silent, pending('p', requesting({ cpu: '15' }))], types))[0]).toContain('x-16');
  });

  test('B40: init containers, sidecars, overhead and daemons are all weighed', () => {
    const daemons = daemon(requesting({ memory: '1Gi' }));
    const spec: Partial<PodSpec> = {
      containers: [
        { name: 'a', resources: { requests: { memory: '1Gi' } } },
        { name: 'b', resources: { requests: { memory: '1Gi' } } },
      ],
      initContainers: [
        { name: 'side', restartPolicy: 'Always', resources: { requests: { memory: '1Gi' } } },
        { name: 'init', resources: { requests: { memory: '5Gi' } } },
      ],
      overhead: { memory: '1Gi' },
    };
    // Starting needs 1 + 5, the overhead 1, the daemon 1: 8 GiB, and the type keeps 10 MiB for itself.
    const types = [
      instanceType('x-8', { cpu: '4', memory: '8Gi' }),
      instanceType('x-9', { cpu: '4', memory: '9Gi' }, [{ price: 2 }]),
    ];
    expect(typesOf(schedule([pool('p'), daemons, pending('p', spec)], types))).toEqual([['x-9']]);
  });
});

describe('taints, limits and static pools', () => {
  test('B46: a node that is starting is not avoided for its passing taints', () => {
    const labels = {
      'karpenter.sh/nodepool': 'p',
      'karpenter.sh/registered': 'true',
      'node.kubernetes.io/instance-type': 'small',
    };
    const claim = nodeClaim({
      metadata: { name: 'n', labels },
      status: { providerID: 'x://n', allocatable: { ...SMALL, pods: '10' } },
    });
    const starting = node({
      metadata: { name: 'n', labels },
      spec: { providerID: 'x://n', taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] },
    });
    const results = schedule([pool('p'), claim, starting, pending('p')], [inZones('a')]);
    expect(onNodes(results)).toEqual({ n: ['p'] });
  });

  test('B48: PreferNoSchedule is the last resort, and only that', () => {
    const tainted = nodePool({
      metadata: { name: 'z-tainted' },
      spec: { template: { spec: { taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] } } },
    });
    const alone = schedule([tainted, pending('p')], [inZones('a')]);
    expect(newNodes(alone)).toEqual([['p']]);
    const beside = schedule([tainted, pool('a-free'), pending('p')], [inZones('a')]);
    expect(beside.newNodeClaims.map((claim) => claim.nodePool.metadata.name)).toEqual(['a-free']);
  });

  test('B50: a limit on nodes holds within one pass', () => {
    const apart = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: HOSTNAME, labelSelector: { matchLabels: { app: 'a' } } },
        ],
      },
    };
    const labels = {
      'karpenter.sh/nodepool': 'p',
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
    };
    const results = schedule(
      [
        pool('p', [], { limits: { nodes: '3' } }),
        nodeClaim({ metadata: { name: 'n1', labels }, status: { providerID: 'kwok://n1' } }),
        node({ metadata: { name: 'n1', labels } }),
        pod({ metadata: { name: 'p0', labels: { app: 'a' } }, spec: { nodeName: 'n1' }, status: { phase: 'Running' } }),
        ...['p1', 'p2', 'p3', 'p4'].map((name) => pending(name, { affinity: apart })),
      ],
      [inZones('a')],
    );
    expect(newNodes(results)).toHaveLength(2);
    expect(Object.values(errors(results))).toEqual(['NodePoolLimit', 'NodePoolLimit']);
    const [error] = results.podErrors.values();
    const refusal = error?.targets?.find(({ kind }) => kind === 'NodePool')?.reasons[0];
    expect([refusal?.other, refusal?.objects]).toEqual(['nodes 0 of 3', ['NodePool/p']]);
  });

  test('B54: pending pods never grow a static pool', () => {
    const fixed = nodePool({ metadata: { name: 'fixed' }, spec: { replicas: 2, limits: { nodes: '4' } } });
    const results = schedule([fixed, pending('p')], [inZones('a')]);
    expect(results.newNodeClaims).toEqual([]);
    expect(errors(results)).toEqual({ p: 'NoNodePools' });
  });
});

describe('offerings and minValues', () => {
  test('B76: the cheapest type that fits comes first', () => {
    const types = [instanceType('dear', SMALL, [{ price: 2 }]), instanceType('cheap', SMALL, [{ price: 1 }])];
    expect(typesOf(schedule([pool('p'), pending('p')], types))).toEqual([['cheap', 'dear']]);
  });

  test('B92: zone and capacity type are looked at as a pair', () => {
    const type = instanceType('t', SMALL, [
      { zone: 'z1', capacityType: 'spot', available: false },
      { zone: 'z2', capacityType: 'on-demand' },
    ]);
    const results = schedule([pool('p'), pending('p', { nodeSelector: { [ZONE]: 'z1' } })], [type]);
    expect(errors(results)).toEqual({ p: 'NoOffering' });
  });

  test('B98: what an overlay made cheaper than spot is what is launched first', () => {
    const types = [
      instanceType('spot', SMALL, [{ capacityType: 'spot', price: 0.5 }]),
      instanceType('discounted', SMALL, [{ capacityType: 'on-demand', price: 0.3 }]),
    ];
    expect(typesOf(schedule([pool('p'), pending('p')], types))[0]?.[0]).toBe('discounted');
  });

  describe('a pod pins one of the two zones that a pool wants', () => {
    const twoZones = nodePool({
      metadata: { name: 'p' },
      spec: { template: { spec: { requirements: [{ key: ZONE, operator: 'In', values: ['a', 'b'], minValues: 2 }] } } },
    });
    const pinned = pending('p', { nodeSelector: { [ZONE]: 'a' } });

    test('B100: it waits when minValues is strict', () => {
      const results = schedule([twoZones, pinned], [inZones('a', 'b')]);
      expect(errors(results)).toEqual({ p: 'MinValues' });
      expect([...results.podErrors.values()][0]?.message).toMatch(
        /minValues requirement is not met for label\(s\) \(label\(s\)=\[topology\.kubernetes\.io\/zone\]\)/,
      );
    });

    test('B100: minValues gives way when it is best effort', () => {
      const [claim] = schedule([twoZones, pinned], [inZones('a', 'b')], {
        minValuesPolicy: 'BestEffort',
      }).newNodeClaims;
      expect(claim?.requirements.get(ZONE).minValues).toBe(1);
      expect(claim?.annotations['karpenter.sh/nodeclaim-min-values-relaxed']).toBe('true');
    });
  });
});
