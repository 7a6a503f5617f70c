import type { KubeObject, NodeSelectorTerm, PersistentVolumeClaim, PodSpec, Volume } from '../../src/kube/objects.ts';
import { type Making, ZONES } from './random-world.ts';

const ZONE = 'topology.kubernetes.io/zone';
const DRIVER = 'disk.example.com';

export interface RandomVolumes {
  readonly objects: readonly KubeObject[];
  readonly volumes: readonly Volume[];
}

/** Claims for a pod, with the volumes or classes behind them; sometimes such that make the pod invalid. */
export function randomVolumes(making: Making, podName: string, namespace: string): RandomVolumes {
  const count = making.maybe(0.2, 'several volumes', 'all') ? making.choices.integer(2, 3) : 1;
  const all = Array.from({ length: count }, (_, i) => randomVolume(making, podName, namespace, `data${i}`));
  return { objects: all.flatMap(({ objects }) => objects), volumes: all.flatMap(({ volumes }) => volumes) };
}

export function withVolumes(spec: PodSpec, volumes: readonly Volume[]): PodSpec {
  return { ...spec, volumes };
}

function randomVolume(making: Making, podName: string, namespace: string, volume: string): RandomVolumes {
  const { choices, maybe } = making;
  if (maybe(0.06, 'volume without a claim', 'all'))
    return { objects: [], volumes: [{ name: volume, emptyDir: {} } as Volume] };
  if (maybe(0.06, 'shared claim', 'all')) {
    return {
      objects: [],
      volumes: [{ name: volume, persistentVolumeClaim: { claimName: choices.pick(['shared-b', 'shared-any']) } }],
    };
  }
  const name = `${podName}-${volume}`;
  const volumes: Volume[] = maybe(0.15, 'ephemeral volume', 'all')
    ? [{ name: volume, ephemeral: {} } as Volume]
    : [{ name: volume, persistentVolumeClaim: { claimName: name } }];
  if (maybe(0.03, 'missing claim', 'all')) return { objects: [], volumes };
  if (maybe(0.45, 'bound volume', 'all')) {
    const claim = claimFor(name, namespace, { volumeName: `pv-${name}` }, !maybe(0.03, 'half-bound claim', 'all'));
    if (maybe(0.03, 'missing volume', 'all')) return { objects: [claim], volumes };
    return { objects: [persistentVolume(making, `pv-${name}`), claim], volumes };
  }
  const storageClassName = choices.pick([
    ...['anywhere', 'anywhere', 'zonal', 'zonal', 'zonal', 'several-terms', 'two-keys', 'in-tree'],
    ...(maybe(0.1, 'claim that can’t be bound', 'all') ? ['immediate', 'missing', ''] : []),
  ]);
  const claim = claimFor(name, namespace, storageClassName ? { storageClassName } : {}, false);
  if (!maybe(0.04, 'lost or deleted claim', 'all')) return { objects: [claim], volumes };
  return {
    objects: [
      choices.chance(0.5)
        ? ({ ...claim, status: { phase: 'Lost' } } as KubeObject)
        : { ...claim, metadata: { ...claim.metadata, deletionTimestamp: '2026-11-30T23:00:00Z', finalizers: ['x/y'] } },
    ],
    volumes,
  };
}

export function claimFor(
  name: string,
  namespace: string,
  rest: Partial<PersistentVolumeClaim['spec']>,
  bound: boolean,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace, ...(bound ? { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } : {}) },
    ...{ spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...rest } },
  };
}

function persistentVolume(making: Making, name: string): KubeObject {
  const { choices, maybe } = making;
  const inZones = (values: readonly string[], key = ZONE): NodeSelectorTerm => ({
    matchExpressions: [{ key, operator: 'In', values }],
  });
  const onHost = { key: 'kubernetes.io/hostname', operator: 'In' as const, values: [`node-${choices.integer(0, 2)}`] };
  let source: object = { csi: { driver: DRIVER, volumeHandle: name } };
  let terms: NodeSelectorTerm[] = choices.some(ZONES, 3).map((zone) => inZones([zone]));
  if (maybe(0.1, 'local volume', 'all')) {
    source = choices.pick([{ local: { path: '/x' } }, { hostPath: { path: '/x' } }]);
    terms = choices.pick([
      [{ matchExpressions: [onHost] }],
      [{ matchExpressions: [onHost, ...(inZones(['test-zone-a']).matchExpressions ?? [])] }],
      [{ matchExpressions: [onHost] }, inZones(['test-zone-b'])],
    ]);
  } else if (maybe(0.06, 'volume on one node', 'all')) {
    terms = [{ matchExpressions: [onHost] }];
  } else if (maybe(0.1, 'volume of an old plug-in', 'all')) {
    source = { awsElasticBlockStore: { volumeID: name } };
    terms = [inZones(choices.some(ZONES, 2), 'failure-domain.beta.kubernetes.io/zone')];
  } else if (maybe(0.1, 'volume for anywhere', 'all')) {
    terms = [];
  } else if (maybe(0.2, 'volume terms with several rules', 'all')) {
    terms = choices.some(ZONES, 2).map((zone) => ({
      matchExpressions: [
        ...(inZones([zone]).matchExpressions ?? []),
        { key: 'kubernetes.io/arch', operator: 'In' as const, values: choices.some(['amd64', 'arm64']) },
      ],
    }));
  }
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    ...{
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        ...source,
        ...(terms.length > 0 ? { nodeAffinity: { required: { nodeSelectorTerms: terms } } } : {}),
      },
    },
  };
}

/** Classes that the claims name, and claims that several pods share. */
export function storage(): KubeObject[] {
  const storageClass = (name: string, rest: object): KubeObject => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    ...{ provisioner: DRIVER, volumeBindingMode: 'WaitForFirstConsumer', ...rest },
  });
  const zone = (...values: string[]) => ({ key: ZONE, values });
  const term = (...matchLabelExpressions: object[]) => ({ matchLabelExpressions });
  return [
    storageClass('anywhere', {}),
    storageClass('zonal', {
      allowedTopologies: [term(zone('test-zone-b')), term(zone('test-zone-c', 'test-zone-d'))],
    }),
    storageClass('several-terms', {
      allowedTopologies: [...'dcba'].map((letter) => term(zone(`test-zone-${letter}`))),
    }),
    storageClass('two-keys', {
      allowedTopologies: [
        term(zone('test-zone-a'), { key: 'kubernetes.io/arch', values: ['arm64'] }),
        term({ key: 'failure-domain.beta.kubernetes.io/zone', values: ['test-zone-c'] }),
      ],
    }),
    storageClass('in-tree', { provisioner: 'kubernetes.io/aws-ebs' }),
    storageClass('immediate', { volumeBindingMode: 'Immediate' }),
    ...['default', 'other'].flatMap((namespace) => [
      claimFor('shared-b', namespace, { storageClassName: 'zonal' }, false),
      claimFor('shared-any', namespace, { storageClassName: 'anywhere' }, false),
    ]),
  ];
}
