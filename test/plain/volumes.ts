/** Where a pod's volumes let it be, and how many a node can attach (karpenter-core.md 3.6, 3.7, 4.5.5). */
import type { PersistentVolumeClaim, Pod } from '../../src/kube/objects.ts';
import type { World } from '../../src/scheduling/index.ts';
import { intersect, plus, type Wishes, wishesOf } from './requirements.ts';

const EBS = 'ebs.csi.aws.com';
const TRANSLATED: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': EBS,
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
};

/** Driver → `namespace/name` of claims. */
export type Attached = ReadonlyMap<string, ReadonlySet<string>>;

export class Volumes {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Undefined when the pod may be anywhere; a pod with a volume that can't be looked up is treated as if it had none. */
  alternatives(pod: Pod): readonly Wishes[] | undefined {
    let result: readonly Wishes[] | undefined;
    for (const { claim } of this.#claims(pod)) {
      const own = claim && this.#placesOf(claim);
      if (!own) return undefined;
      if (own.length > 0) result = result ? combinations(result, own) : own;
    }
    return result;
  }

  attached(pod: Pod): Attached {
    const found = this.#claims(pod).flatMap(({ name, claim }) => {
      const driver = claim && this.#driverOf(claim);
      return driver ? [{ name, driver }] : [];
    });
    const byDriver = Map.groupBy(found, ({ driver }) => driver);
    return new Map([...byDriver].map(([driver, claims]) => [driver, new Set(claims.map(({ name }) => name))]));
  }

  limitsOf(nodeName: string): ReadonlyMap<string, number> {
    const drivers = this.#world.csiNodes.find(({ metadata }) => metadata.name === nodeName)?.spec.drivers ?? [];
    return new Map(drivers.flatMap(({ name, allocatable }) => (allocatable ? [[name, allocatable.count ?? 0]] : [])));
  }

  /** Whether the pod has a claim with which it can't be scheduled at all. */
  areBroken(pod: Pod): boolean {
    return this.#claims(pod).some(({ claim }) => !claim || !this.#isUsable(claim));
  }

  #isUsable({ metadata, spec, status }: PersistentVolumeClaim): boolean {
    if (metadata.deletionTimestamp || status?.phase === 'Lost') return false;
    if (spec.volumeName) {
      const volume = this.#volume(spec.volumeName);
      const bound = metadata.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined;
      return volume !== undefined && !volume.metadata.deletionTimestamp && bound;
    }
    const storageClass = this.#class(spec.storageClassName);
    return storageClass !== undefined && (storageClass.volumeBindingMode ?? 'WaitForFirstConsumer') !== 'Immediate';
  }

  #claims(pod: Pod): readonly { readonly name: string; readonly claim: PersistentVolumeClaim | undefined }[] {
    return (pod.spec.volumes ?? []).flatMap(({ name: volume, persistentVolumeClaim, ephemeral }) => {
      const short = persistentVolumeClaim?.claimName ?? (ephemeral && `${pod.metadata.name}-${volume}`);
      if (short === undefined) return [];
      const { namespace } = pod.metadata;
      const claim = this.#world.persistentVolumeClaims.find(
        ({ metadata }) => metadata.name === short && metadata.namespace === namespace,
      );
      return [{ name: `${namespace}/${short}`, claim }];
    });
  }

  /** Undefined when the volume or class is not there. */
  #placesOf({ spec }: PersistentVolumeClaim): readonly Wishes[] | undefined {
    if (spec.volumeName) {
      const volume = this.#volume(spec.volumeName)?.spec;
      if (!volume) return undefined;
      const local = volume.local !== undefined || volume.hostPath !== undefined;
      const terms = volume.nodeAffinity?.required?.nodeSelectorTerms ?? [];
      return terms
        .map(({ matchExpressions = [] }) => matchExpressions)
        .filter((expressions) => expressions.length > 0)
        .map((expressions) => wishesOf(expressions.filter(({ key }) => !local || key !== 'kubernetes.io/hostname')));
    }
    if (!spec.storageClassName) return [];
    return this.#class(spec.storageClassName) && this.#placesOfClass(spec.storageClassName);
  }

  #placesOfClass(name: string): readonly Wishes[] {
    return (this.#class(name)?.allowedTopologies ?? [])
      .map(({ matchLabelExpressions = [] }) => matchLabelExpressions)
      .filter((expressions) => expressions.length > 0)
      .map((expressions) => wishesOf(expressions.map(({ key, values }) => ({ key, operator: 'In', values }))));
  }

  #driverOf({ spec }: PersistentVolumeClaim): string | undefined {
    if (spec.volumeName) {
      const volume = this.#volume(spec.volumeName)?.spec;
      return volume?.csi?.driver ?? (volume?.awsElasticBlockStore ? EBS : undefined);
    }
    const provisioner = this.#class(spec.storageClassName)?.provisioner;
    return provisioner && (TRANSLATED[provisioner] ?? provisioner);
  }

  #volume(name: string) {
    return this.#world.persistentVolumes.find(({ metadata }) => metadata.name === name);
  }

  #class(name: string | undefined) {
    return this.#world.storageClasses.find(({ metadata }) => metadata.name === name);
  }
}

/** Those that are possible; all when none is, so that the pod fails like any other. */
function combinations(left: readonly Wishes[], right: readonly Wishes[]): readonly Wishes[] {
  const pairs = left.flatMap((a) => right.map((b) => ({ a, b })));
  const possible = pairs.filter(({ a, b }) => intersect(a, b));
  return (possible.length > 0 ? possible : pairs).map(({ a, b }) => plus(a, b));
}

export function joined(a: Attached, b: Attached): Attached {
  const drivers = new Set([...a.keys(), ...b.keys()]);
  return new Map([...drivers].map((driver) => [driver, new Set([...(a.get(driver) ?? []), ...(b.get(driver) ?? [])])]));
}

export function withinLimits(attached: Attached, limits: ReadonlyMap<string, number>): boolean {
  return [...limits].every(([driver, limit]) => (attached.get(driver)?.size ?? 0) <= limit);
}
