/** What a pod's volumes mean for placement (upstream's volumetopology.go and volumeusage.go). */
import { LABEL_HOSTNAME } from '../apis/labels.ts';
import type {
  CSINode,
  NodeSelectorRequirement,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  Volume,
} from '../kube/objects.ts';
import { Requirements } from './requirements.ts';
import type { Reason } from './types.ts';

/** The storage objects of a cluster. */
export interface StorageObjects {
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly csiNodes: readonly CSINode[];
}

/** What no node of a provider can attach, or be. */
export interface UnsupportedVolumes {
  /** CSI drivers. */
  readonly provisioners?: ReadonlySet<string>;
  /** Label keys that a storage class may confine its volumes by. */
  readonly topologyKeys?: ReadonlySet<string>;
}

/** CSI driver → claims as `namespace/name`. */
export type VolumesByDriver = ReadonlyMap<string, ReadonlySet<string>>;

export const NO_VOLUMES: VolumesByDriver = new Map();

const EBS_DRIVER = 'ebs.csi.aws.com';
/** In-tree plug-ins and the CSI drivers that took over (Kubernetes' csi-translation-lib). */
const TRANSLATED: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': EBS_DRIVER,
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
};
/** Where one claim of a pod lets it be. */
export interface VolumePlace {
  /** The claim, and its volume or storage class. */
  readonly objects: readonly string[];
  readonly alternatives: readonly Requirements[];
}

const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';

/** A claim that two pods share is attached once. */
export function joinVolumes(a: VolumesByDriver, b: VolumesByDriver): VolumesByDriver {
  if (a.size === 0 || b.size === 0) return a.size === 0 ? b : a;
  const all = new Map(a);
  for (const [driver, claims] of b) all.set(driver, new Set([...(all.get(driver) ?? []), ...claims]));
  return all;
}

/** Reads claims, volumes and classes by name. */
export class Volumes {
  readonly #claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly #volumes: ReadonlyMap<string, PersistentVolume>;
  readonly #classes: ReadonlyMap<string, StorageClass>;
  readonly #limits: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly #unsupported: UnsupportedVolumes;

  constructor(objects: StorageObjects, unsupported: UnsupportedVolumes = {}) {
    this.#unsupported = unsupported;
    this.#claims = new Map(
      objects.persistentVolumeClaims.map((c) => [`${c.metadata.namespace}/${c.metadata.name}`, c]),
    );
    this.#volumes = new Map(objects.persistentVolumes.map((v) => [v.metadata.name, v]));
    this.#classes = new Map(objects.storageClasses.map((c) => [c.metadata.name, c]));
    this.#limits = new Map(objects.csiNodes.map((n) => [n.metadata.name, driverLimits(n)]));
  }

  /** Driver → how many volumes it can attach to the node; drivers that say nothing have no limit. */
  limitsOf(nodeName: string): ReadonlyMap<string, number> {
    return this.#limits.get(nodeName) ?? new Map();
  }

  /** What counts against the attach limits; claims and classes that don't exist are left out (4.5.5). */
  attached(pod: Pod): VolumesByDriver {
    const byDriver = new Map<string, Set<string>>();
    for (const { name, claim } of this.#claimsOf(pod)) {
      const driver = claim && this.#driver(claim);
      if (!driver) continue;
      const claims = byDriver.get(driver);
      if (claims) claims.add(name);
      else byDriver.set(driver, new Set([name]));
    }
    return byDriver;
  }

  /**
   * Where the pod's volumes let it be: any one of these; undefined when they don't care, or when a volume can't be looked
   * up (such a pod is placed as if it had none, 3.7.4).
   */
  alternatives(pod: Pod): readonly Requirements[] | undefined {
    let merged: readonly Requirements[] | undefined;
    for (const { claim } of this.#claimsOf(pod)) {
      const own = claim && this.#claimAlternatives(claim);
      if (!own) return undefined;
      if (own.length > 0) merged = merged ? product(merged, own) : own;
    }
    return merged;
  }

  /** The claims that say where the pod may be: each with its objects, and with what they allow. */
  places(pod: Pod): readonly VolumePlace[] {
    return [...this.#claimsOf(pod)].flatMap(({ name, claim }): VolumePlace[] => {
      const alternatives = claim && this.#claimAlternatives(claim);
      if (!alternatives || alternatives.length === 0) return [];
      const { volumeName, storageClassName } = claim.spec;
      const source = volumeName ? `PersistentVolume/${volumeName}` : `StorageClass/${storageClassName}`;
      return [{ objects: [`PersistentVolumeClaim/${name}`, source], alternatives }];
    });
  }

  /** Why the scheduler would refuse the pod for its volumes (3.6). */
  problem(pod: Pod): Reason | undefined {
    for (const { name, claim } of this.#claimsOf(pod)) {
      const text = claim ? this.#claimProblem(claim) : missingClaim(name);
      if (text) {
        return { code: 'VolumeInvalid', message: text, subject: name, objects: [`PersistentVolumeClaim/${name}`] };
      }
    }
    return undefined;
  }

  *#claimsOf(pod: Pod): Generator<{ name: string; claim: PersistentVolumeClaim | undefined }> {
    for (const volume of pod.spec.volumes ?? []) {
      const claimName = claimNameOf(pod, volume);
      if (claimName === undefined) continue;
      const name = `${pod.metadata.namespace}/${claimName}`;
      yield { name, claim: this.#claims.get(name) };
    }
  }

  #claimAlternatives(claim: PersistentVolumeClaim): readonly Requirements[] | undefined {
    if (claim.spec.volumeName) {
      const volume = this.#volumes.get(claim.spec.volumeName);
      return volume && volumeAlternatives(volume);
    }
    if (!claim.spec.storageClassName) return [];
    const storageClass = this.#classes.get(claim.spec.storageClassName);
    return storageClass && classAlternatives(storageClass);
  }

  /** Undefined where nothing is to be counted. */
  #driver(claim: PersistentVolumeClaim): string | undefined {
    if (claim.spec.volumeName) {
      const volume = this.#volumes.get(claim.spec.volumeName)?.spec;
      return volume?.csi?.driver ?? (volume?.awsElasticBlockStore ? EBS_DRIVER : undefined);
    }
    const provisioner = this.#classes.get(claim.spec.storageClassName ?? '')?.provisioner;
    return provisioner && (TRANSLATED[provisioner] ?? provisioner);
  }

  #claimProblem(claim: PersistentVolumeClaim): string | undefined {
    const { name, namespace } = claim.metadata;
    const { volumeName = '', storageClassName = '' } = claim.spec;
    const key = `${namespace}/${name}`;
    if (claim.metadata.deletionTimestamp) {
      return `persistentvolumeclaim is being deleted (PersistentVolumeClaim=${key})`;
    }
    if (claim.status?.phase === 'Lost') {
      return `persistentvolumeclaim bound to non-existent persistentvolume (PersistentVolume=${volumeName}, PersistentVolumeClaim=${key})`;
    }
    if (volumeName) {
      const volume = this.#volumes.get(volumeName);
      const bad = volume
        ? volume.metadata.deletionTimestamp && 'persistentvolume is being deleted'
        : `PersistentVolume "${volumeName}" not found`;
      if (bad) {
        return `failed to validate pvc, ${bad} (PersistentVolume=${volumeName}, PersistentVolumeClaim=${key}, StorageClass=${storageClassName})`;
      }
      if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) return this.#driverProblem(claim);
      return `pvc is considered unbound because it does not contain annotation (PersistentVolume=${volumeName}, PersistentVolumeClaim=${name}, annotation=${BIND_COMPLETED})`;
    }
    const where = `(PersistentVolumeClaim=${key}, StorageClass=${storageClassName})`;
    if (!storageClassName) return `unbound pvc must define a storage class ${where}`;
    const storageClass = this.#classes.get(storageClassName);
    if (!storageClass) {
      return `failed to validate pvc, failed to get storage class, StorageClass.storage.k8s.io "${storageClassName}" not found ${where}`;
    }
    if (!['WaitForFirstConsumer', undefined].includes(storageClass.volumeBindingMode)) {
      return `failed to validate pvc, pvc with immediate volume binding mode must be bound ${where}`;
    }
    return this.#topologyProblem(storageClass, key) ?? this.#driverProblem(claim);
  }

  #topologyProblem({ metadata, allowedTopologies = [] }: StorageClass, claim: string): string | undefined {
    const keys = allowedTopologies.flatMap(({ matchLabelExpressions = [] }) => matchLabelExpressions);
    const strange = keys.find(({ key }) => this.#unsupported.topologyKeys?.has(key));
    if (!strange) return undefined;
    return `failed to validate pvc, storage class uses unsupported topology key (PersistentVolumeClaim=${claim}, StorageClass=${metadata.name}, TopologyKey=${strange.key})`;
  }

  #driverProblem(claim: PersistentVolumeClaim): string | undefined {
    const driver = this.#driver(claim);
    if (driver === undefined || !this.#unsupported.provisioners?.has(driver)) return undefined;
    const { metadata, spec } = claim;
    return `failed to validate pvc, provisioner is not supported (PersistentVolumeClaim=${metadata.namespace}/${metadata.name}, Provisioner=${driver}, StorageClass=${spec.storageClassName ?? ''})`;
  }
}

function driverLimits(node: CSINode): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name, allocatable } of node.spec.drivers ?? [])
    if (allocatable) limits.set(name, allocatable.count ?? 0);
  return limits;
}

function claimNameOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral ? `${pod.metadata.name}-${volume.name}` : undefined;
}

/** With the kind where an API server would write the resource: upstream reads from a cache that does so. */
function missingClaim(name: string): string {
  const short = name.slice(name.indexOf('/') + 1);
  return `getting persistent volume claim, PersistentVolumeClaim "${short}" not found (PersistentVolumeClaim=${short})`;
}

function classAlternatives(storageClass: StorageClass): readonly Requirements[] {
  return (storageClass.allowedTopologies ?? []).flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.length === 0
      ? []
      : [Requirements.fromItems(matchLabelExpressions.map(({ key, values }) => ({ key, operator: 'In', values })))],
  );
}

/** A local disk's hostname is not asked for: on a new node the pod would get a new disk anyway. */
function volumeAlternatives(volume: PersistentVolume): readonly Requirements[] {
  const isLocal = volume.spec.local !== undefined || volume.spec.hostPath !== undefined;
  const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchExpressions = [] }) => {
    const kept: readonly NodeSelectorRequirement[] = isLocal
      ? matchExpressions.filter(({ key }) => key !== LABEL_HOSTNAME)
      : matchExpressions;
    return matchExpressions.length === 0 ? [] : [Requirements.fromItems(kept)];
  });
}

/** Every combination that is possible; all of them when none is, so that the pod fails with an ordinary error. */
function product(left: readonly Requirements[], right: readonly Requirements[]): readonly Requirements[] {
  const pairs = left.flatMap((a) => right.map((b) => [a, b] as const));
  const possible = pairs.filter(([a, b]) => a.intersects(b));
  return (possible.length > 0 ? possible : pairs).map(([a, b]) => {
    const both = a.copy();
    both.addAll(b);
    return both;
  });
}
