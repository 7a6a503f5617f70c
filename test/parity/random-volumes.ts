import type { KubeObject, PersistentVolumeClaim, PodSpec } from '../../src/kube/objects.ts';
import { type Making, ZONES } from './random-world.ts';

/** One claim for a pod, with the volume or class behind it; sometimes one that makes the pod invalid. */
export function randomVolumes(
  { choices, maybe }: Making,
  podName: string,
  namespace: string,
): { readonly objects: readonly KubeObject[]; readonly spec: Pick<PodSpec, 'volumes'> } {
  const name = `${podName}-data`;
  const spec = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }] };
  const claim = (rest: Partial<PersistentVolumeClaim['spec']>, bound: boolean): KubeObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace, ...(bound ? { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } : {}) },
    ...{ spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...rest } },
  });
  if (maybe(0.05, 'missing claim', 'all')) return { objects: [], spec };
  if (maybe(0.4, 'bound volume', 'all')) {
    const terms = choices.some(ZONES, 3).map((zone) => ({
      matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }],
    }));
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `pv-${name}` },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'disk.example.com', volumeHandle: name },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
      },
    };
    return { objects: [volume as KubeObject, claim({ volumeName: `pv-${name}` }, choices.chance(0.95))], spec };
  }
  const storageClassName = choices.pick(['anywhere', 'zonal', 'immediate', 'missing', 'anywhere', 'zonal', 'zonal']);
  return { objects: [claim({ storageClassName }, false)], spec };
}

/** Classes that the claims name. */
export function storageClasses(): KubeObject[] {
  const storageClass = (name: string, rest: object): KubeObject => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    ...{ provisioner: 'disk.example.com', volumeBindingMode: 'WaitForFirstConsumer', ...rest },
  });
  const zone = (...values: string[]) => ({
    matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values }],
  });
  return [
    storageClass('anywhere', {}),
    storageClass('zonal', { allowedTopologies: [zone('test-zone-b'), zone('test-zone-c', 'test-zone-d')] }),
    storageClass('immediate', { volumeBindingMode: 'Immediate' }),
  ];
}
