import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { node, pod, requesting } from '../../../test/factories/index.ts';
import { type LocalCluster, localCluster } from '../../../test/support/local-cluster.ts';
import { findCondition } from '../../kube/conditions.ts';
import { Manager } from '../../kube/manager.ts';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttachment,
} from '../../kube/objects.ts';
import {
  CSINodes,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  StorageClasses,
  VolumeAttachments,
} from '../../kube/resources.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { volumeControllers } from './volume-controllers.ts';

let cluster: LocalCluster;
beforeEach(async () => {
  cluster = await localCluster();
});
afterEach(() => cluster.stop());

async function start(): Promise<void> {
  const { deps } = cluster;
  const manager = new Manager({ clock: deps.clock, informers: deps.informers });
  for (const spec of volumeControllers(deps)) manager.add(spec);
  manager.addRunnable(new Scheduler(deps));
  await cluster.run(manager);
  await cluster.clock.advance(1000);
}

const storageClass = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'ebs.csi.aws.com',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  ...more,
});

const claim = (name: string, storageClassName: string, more: Partial<PersistentVolumeClaim['spec']> = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '5Gi' } },
      storageClassName,
      ...more,
    },
  }) satisfies PersistentVolumeClaim;

const volume = (name: string, storage: string, zone?: string): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'manual',
    persistentVolumeReclaimPolicy: 'Retain',
    csi: { driver: 'disk.example.com', volumeHandle: name },
    ...(zone && {
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] },
          ],
        },
      },
    }),
  },
});

const zoned = (name: string, zone: string) =>
  node({ metadata: { name, labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone } } });

const using = (name: string, ...claims: string[]): Pod =>
  pod({
    metadata: { name },
    spec: {
      ...requesting({ cpu: '1' }),
      volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    },
  });

const phaseOf = async (name: string): Promise<string | undefined> =>
  (await cluster.get(PersistentVolumeClaims, name)).status?.phase;
const volumeOf = async (name: string): Promise<PersistentVolume> => {
  const { spec } = await cluster.get(PersistentVolumeClaims, name);
  return cluster.get(PersistentVolumes, spec.volumeName ?? '');
};
const failure = async (name: string): Promise<string> =>
  findCondition(await cluster.get(Pods, name), 'PodScheduled')?.message ?? '';

describe('a claim of an immediate class', () => {
  it('gets a volume made for it at once, and both say so', async () => {
    await cluster.create(StorageClasses, storageClass('fast'));
    await cluster.create(PersistentVolumeClaims, claim('data', 'fast'));
    await start();
    expect(await cluster.get(PersistentVolumeClaims, 'data')).toMatchObject({
      metadata: {
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
        finalizers: ['kubernetes.io/pvc-protection'],
      },
      status: { phase: 'Bound', capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'] },
    });
    expect(await volumeOf('data')).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'ebs.csi.aws.com' } },
      spec: { csi: { driver: 'ebs.csi.aws.com' }, storageClassName: 'fast', claimRef: { name: 'data' } },
      status: { phase: 'Bound' },
    });
  });

  it('gets the smallest volume that is large enough, when there are some already', async () => {
    await cluster.create(PersistentVolumes, volume('tiny', '1Gi'), volume('huge', '50Gi'), volume('right', '8Gi'));
    await cluster.create(PersistentVolumeClaims, claim('data', 'manual'));
    await start();
    expect((await volumeOf('data')).metadata.name).toBe('right');
    expect((await cluster.get(PersistentVolumes, 'tiny')).status?.phase).toBe('Available');
    expect(await phaseOf('data')).toBe('Bound');
  });

  it('waits for its class, and pods wait for it', async () => {
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(PersistentVolumeClaims, claim('data', 'later'));
    await cluster.create(Pods, using('p', 'data'), using('q', 'missing'));
    await start();
    expect(await phaseOf('data')).toBe('Pending');
    expect(await failure('p')).toContain('0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.');
    expect(await failure('q')).toContain('0/1 nodes are available: persistentvolumeclaim "missing" not found.');
    await cluster.create(StorageClasses, storageClass('later'));
    await cluster.clock.advance(15_000);
    expect((await cluster.get(Pods, 'p')).spec.nodeName).toBe('n1');
  });
});

describe('a claim that names no class', () => {
  const open = (name: string): PersistentVolumeClaim => {
    const { storageClassName: _, ...spec } = claim(name, '').spec;
    return { ...claim(name, ''), spec };
  };
  const marked = (name: string): StorageClass =>
    storageClass(name, { metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } });

  it('gets the default one as soon as there is one, unless it asked for none', async () => {
    await cluster.create(StorageClasses, storageClass('other'));
    await cluster.create(PersistentVolumeClaims, open('data'), claim('none', ''));
    await start();
    expect(await phaseOf('data')).toBe('Pending');
    expect(cluster.events).toContain(
      'persistentvolume-controller FailedBinding default/data: no persistent volumes available for this claim and no storage class is set',
    );
    await cluster.create(StorageClasses, marked('usual'));
    await cluster.clock.advance(1000);
    expect((await cluster.get(PersistentVolumeClaims, 'data')).spec.storageClassName).toBe('usual');
    expect([await phaseOf('data'), await phaseOf('none')]).toEqual(['Bound', 'Pending']);
  });

  it('gets the newest of several', async () => {
    await cluster.create(StorageClasses, marked('old'));
    await cluster.clock.advance(5000);
    await cluster.create(StorageClasses, marked('new'));
    await cluster.create(PersistentVolumeClaims, open('data'));
    await start();
    expect((await cluster.get(PersistentVolumeClaims, 'data')).spec.storageClassName).toBe('new');
  });
});

describe('a claim that waits for its first consumer', () => {
  const waiting = { volumeBindingMode: 'WaitForFirstConsumer' };

  it('gets a volume in the zone of the node its pod goes to', async () => {
    await cluster.create(StorageClasses, storageClass('zonal', waiting));
    await cluster.create(Nodes, zoned('n1', 'z1'), zoned('n2', 'z2'));
    await cluster.create(PersistentVolumeClaims, claim('data', 'zonal'));
    await start();
    expect(await phaseOf('data')).toBe('Pending');
    expect(cluster.events).toContain(
      'persistentvolume-controller WaitForFirstConsumer default/data: waiting for first consumer to be created before binding',
    );
    await cluster.create(Pods, {
      ...using('p', 'data'),
      spec: { ...using('p', 'data').spec, nodeSelector: { 'kubernetes.io/hostname': 'n2' } },
    });
    await cluster.clock.advance(1000);
    expect((await cluster.get(Pods, 'p')).spec.nodeName).toBe('n2');
    expect(await phaseOf('data')).toBe('Bound');
    expect((await volumeOf('data')).spec.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['z2'] }] },
    ]);
    await cluster.create(Pods, {
      ...using('q', 'data'),
      spec: { ...using('q', 'data').spec, nodeSelector: { 'kubernetes.io/hostname': 'n1' } },
    });
    await cluster.clock.advance(1000);
    expect(await failure('q')).toContain("1 node(s) didn't match PersistentVolume's node affinity");
  });

  it('takes a volume that exists within reach of the node', async () => {
    await cluster.create(
      StorageClasses,
      storageClass('manual', { ...waiting, provisioner: 'kubernetes.io/no-provisioner' }),
    );
    await cluster.create(PersistentVolumes, volume('v1', '10Gi', 'z1'), volume('v2', '10Gi', 'z2'));
    await cluster.create(Nodes, zoned('n1', 'z1'), zoned('n3', 'z3'));
    await cluster.create(PersistentVolumeClaims, claim('data', 'manual'), claim('more', 'manual'));
    await cluster.create(Pods, using('p', 'data'));
    await start();
    expect((await cluster.get(Pods, 'p')).spec.nodeName).toBe('n1');
    expect((await volumeOf('data')).metadata.name).toBe('v1');
    await cluster.create(Pods, using('q', 'more'));
    await cluster.clock.advance(1000);
    expect(await failure('q')).toContain("2 node(s) didn't find available persistent volumes to bind");
  });

  it('respects the topologies its class allows', async () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['z2'] }] }];
    await cluster.create(StorageClasses, storageClass('zonal', { ...waiting, allowedTopologies }));
    await cluster.create(Nodes, zoned('n1', 'z1'), zoned('n2', 'z2'));
    await cluster.create(PersistentVolumeClaims, claim('data', 'zonal'));
    await cluster.create(Pods, using('p', 'data'));
    await start();
    expect((await cluster.get(Pods, 'p')).spec.nodeName).toBe('n2');
  });
});

describe('when a claim goes', () => {
  it('its volume goes with it, or stays released, as the policy says', async () => {
    await cluster.create(StorageClasses, storageClass('fast'));
    await cluster.create(PersistentVolumes, volume('kept', '8Gi'));
    await cluster.create(PersistentVolumeClaims, claim('gone', 'fast'), claim('manual', 'manual'));
    await start();
    for (const name of ['gone', 'manual']) {
      await cluster.client.delete(PersistentVolumeClaims, { name, namespace: 'default' });
    }
    await cluster.clock.advance(5000);
    expect(
      (await cluster.list(PersistentVolumes)).map(({ metadata, status }) => [metadata.name, status?.phase]),
    ).toEqual([['kept', 'Released']]);
  });

  it('it stays while a pod uses it', async () => {
    await cluster.create(StorageClasses, storageClass('fast'));
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(PersistentVolumeClaims, claim('data', 'fast'));
    await cluster.create(Pods, using('p', 'data'));
    await start();
    await cluster.client.delete(PersistentVolumeClaims, { name: 'data', namespace: 'default' });
    await cluster.clock.advance(5000);
    expect((await cluster.get(PersistentVolumeClaims, 'data')).metadata.deletionTimestamp).toBeDefined();
    await cluster.client.delete(Pods, { name: 'p', namespace: 'default' }, { gracePeriodSeconds: 0 });
    await cluster.clock.advance(5000);
    expect(await cluster.list(PersistentVolumeClaims)).toEqual([]);
    expect(await cluster.list(PersistentVolumes)).toEqual([]);
  });
});

describe('limits', () => {
  it('of a driver on a node count each volume once', async () => {
    await cluster.create(StorageClasses, storageClass('fast'));
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(CSINodes, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'n1' },
      spec: { drivers: [{ name: 'ebs.csi.aws.com', nodeID: 'n1', topologyKeys: [], allocatable: { count: 1 } }] },
    });
    await cluster.create(PersistentVolumeClaims, claim('one', 'fast'), claim('two', 'fast'));
    await start();
    await cluster.create(Pods, using('a', 'one'), using('b', 'one'), using('c', 'two'));
    await cluster.clock.advance(15_000);
    expect((await cluster.get(Pods, 'b')).spec.nodeName).toBe('n1');
    expect(await failure('c')).toContain('1 node(s) exceed max volume count');
  });

  it('of a claim for one pod at a time hold on every node', async () => {
    await cluster.create(StorageClasses, storageClass('fast'));
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(PersistentVolumeClaims, claim('only', 'fast', { accessModes: ['ReadWriteOncePod'] }));
    await start();
    await cluster.create(Pods, using('a', 'only'), using('b', 'only'));
    await cluster.clock.advance(15_000);
    expect((await cluster.get(Pods, 'a')).spec.nodeName).toBe('n1');
    expect(await failure('b')).toContain('ReadWriteOncePod access mode already in-use by another pod');
  });
});

describe('a volume in use', () => {
  it('is attached to the node of its pod until the last one has gone', async () => {
    await cluster.create(StorageClasses, storageClass('fast'));
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    await cluster.create(PersistentVolumeClaims, claim('data', 'fast'));
    await cluster.create(Pods, using('p', 'data'), using('q', 'data'));
    await start();
    const [attached, ...others] = await cluster.list(VolumeAttachments);
    expect(others).toEqual([]);
    expect(attached).toMatchObject({
      spec: {
        attacher: 'ebs.csi.aws.com',
        nodeName: 'n1',
        source: { persistentVolumeName: (await volumeOf('data')).metadata.name },
      },
      status: { attached: true },
    });
    const stranger = { ...attached, metadata: { name: 'made-by-hand' } } as VolumeAttachment;
    await cluster.create(VolumeAttachments, stranger);
    await cluster.client.delete(Pods, { name: 'p', namespace: 'default' }, { gracePeriodSeconds: 0 });
    await cluster.clock.advance(1000);
    expect(await cluster.list(VolumeAttachments)).toHaveLength(2);
    await cluster.client.delete(Pods, { name: 'q', namespace: 'default' }, { gracePeriodSeconds: 0 });
    await cluster.clock.advance(1000);
    expect((await cluster.list(VolumeAttachments)).map(({ metadata }) => metadata.name)).toEqual(['made-by-hand']);
  });
});

describe('a claim whose volume is lost', () => {
  it('says so', async () => {
    await cluster.create(PersistentVolumes, volume('v', '8Gi'));
    await cluster.create(PersistentVolumeClaims, claim('data', 'manual'));
    await start();
    await cluster.client.delete(PersistentVolumes, { name: 'v' });
    const body = { metadata: { finalizers: null } };
    await cluster.client.patch(PersistentVolumes, { name: 'v' }, { type: 'merge', body });
    await cluster.clock.advance(5000);
    expect(await phaseOf('data')).toBe('Lost');
  });
});

describe('a generic ephemeral volume', () => {
  it('has a claim made that belongs to its pod', async () => {
    await cluster.create(StorageClasses, storageClass('fast'));
    await cluster.create(Nodes, node({ metadata: { name: 'n1' } }));
    const spec = { ...claim('x', 'fast').spec };
    const volumes = [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec } } }];
    await cluster.create(Pods, pod({ metadata: { name: 'p' }, spec: { ...requesting({ cpu: '1' }), volumes } }));
    await start();
    await cluster.clock.advance(15_000);
    const made = await cluster.get(PersistentVolumeClaims, 'p-scratch');
    expect(made.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Pod', name: 'p', controller: true });
    expect((await cluster.get(Pods, 'p')).spec.nodeName).toBe('n1');
  });
});
