import type { PersistentVolume } from '../../../kube/objects.ts';
import { podClaims } from '../../volumes/claims.ts';
import { volumeFitsNode } from '../../volumes/find-volume.ts';
import type { Filter, PluginName, Rejection } from '../filter.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PodInfo } from '../pod-info.ts';
import { planVolumes } from './volume-plan.ts';
import type { VolumeReader } from './volume-reader.ts';

const rejected = (plugin: PluginName, resolvable: boolean, ...reasons: string[]): Rejection => ({
  plugin,
  reasons,
  resolvable,
});

const IN_USE = rejected(
  'VolumeRestrictions',
  true,
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);
const TOO_MANY = rejected('NodeVolumeLimits', true, 'node(s) exceed max volume count');
const WRONG_ZONE = rejected('VolumeZone', false, 'node(s) had no available volume zone');
const OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity";
const NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind";
const NO_VOLUME = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

/** A claim for one pod at a time keeps other pods off the nodes until that pod is gone. */
export const volumeRestrictions = (reader: VolumeReader): Filter => ({
  plugin: 'VolumeRestrictions',
  clusterWide: true,
  prepare({ pod, namespace }, { nodes }) {
    const exclusive = podClaims(pod).filter(({ name }) =>
      reader.claimOf(pod, name)?.spec.accessModes?.includes('ReadWriteOncePod'),
    );
    if (exclusive.length === 0) return undefined;
    const uses = (other: PodInfo): boolean =>
      other.namespace === namespace &&
      podClaims(other.pod).some(({ name }) => exclusive.some((own) => own.name === name));
    const inUse = nodes.some((node) => [...node.pods.values()].some(uses));
    return inUse ? { check: () => IN_USE } : undefined;
  },
});

/** Volume handles of a pod by CSI driver; a volume that two pods share counts once. */
function handles(reader: VolumeReader, pod: PodInfo['pod'], into: Map<string, string>): void {
  for (const { name } of podClaims(pod)) {
    const claim = reader.claimOf(pod, name);
    if (claim === undefined) continue;
    const csi = claim.spec.volumeName ? reader.volumes.get(claim.spec.volumeName)?.spec.csi : undefined;
    if (csi !== undefined) into.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
    else if (!claim.spec.volumeName) {
      const provisioner = reader.classes.get(claim.spec.storageClassName ?? '')?.provisioner;
      if (provisioner !== undefined) into.set(`${provisioner}/${claim.metadata.namespace}/${name}`, provisioner);
    }
  }
}

/** What a CSINode says a driver can attach. */
export const nodeVolumeLimits = (reader: VolumeReader): Filter => ({
  plugin: 'NodeVolumeLimits',
  clusterWide: false,
  prepare({ pod }) {
    const wanted = new Map<string, string>();
    handles(reader, pod, wanted);
    if (wanted.size === 0) return undefined;
    return { check: (node) => (exceedsLimit(reader, node, wanted) ? TOO_MANY : undefined) };
  },
});

function exceedsLimit(reader: VolumeReader, node: NodeInfo, wanted: ReadonlyMap<string, string>): boolean {
  const drivers = reader.csiNodes.get(node.name)?.spec.drivers ?? [];
  const limits = drivers.filter(({ allocatable }) => allocatable?.count !== undefined);
  if (limits.length === 0) return false;
  const attached = new Map<string, string>();
  for (const other of node.pods.values()) handles(reader, other.pod, attached);
  for (const { spec } of reader.attachments.byIndex('node', node.name)) {
    const csi = reader.volumes.get(spec.source.persistentVolumeName ?? '')?.spec.csi;
    if (csi !== undefined) attached.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
  }
  return limits.some(({ name, allocatable }) => {
    const added = [...wanted].filter(([handle, driver]) => driver === name && !attached.has(handle)).length;
    if (added === 0) return false;
    const present = [...attached.values()].filter((driver) => driver === name).length;
    return present + added > (allocatable?.count ?? 0);
  });
}

/** Bound volumes must be in reach, unbound claims must find a volume or a provisioner there. */
export const volumeBinding = (reader: VolumeReader, taken: () => ReadonlySet<string>): Filter => ({
  plugin: 'VolumeBinding',
  clusterWide: false,
  prepare({ pod }) {
    const claims = reader.podClaims(pod);
    if (claims === undefined) return undefined;
    if ('problem' in claims) return { plugin: 'VolumeBinding', message: claims.problem };
    if (claims.immediate.length > 0) {
      return { plugin: 'VolumeBinding', message: 'pod has unbound immediate PersistentVolumeClaims' };
    }
    const bound = claims.bound.map(({ spec }) => reader.volumes.get(spec.volumeName ?? ''));
    const lost = bound.includes(undefined);
    const present = bound.filter((volume) => volume !== undefined);
    const input = {
      claims: claims.delayed,
      volumes: claims.delayed.length > 0 ? reader.volumes.list() : [],
      taken: taken(),
      storageClass: (name: string) => reader.classes.get(name),
    };
    return {
      check({ node }) {
        const reasons: string[] = [];
        if (present.some((volume) => !volumeFitsNode(volume, node))) reasons.push(OUT_OF_REACH);
        if (claims.delayed.length > 0 && planVolumes(input, node) === undefined) reasons.push(NOTHING_TO_BIND);
        if (lost) reasons.push(NO_VOLUME);
        return reasons.length === 0 ? undefined : rejected('VolumeBinding', false, ...reasons);
      },
    };
  },
});

const ZONE_LABELS = {
  'topology.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region': 'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
} as const;

interface ZoneRule {
  readonly key: string;
  readonly current: string;
  readonly values: readonly string[];
}

/** Zone labels on the volume itself; several zones are joined by two underscores. */
const zoneRules = ({ metadata }: PersistentVolume): readonly ZoneRule[] =>
  Object.entries(ZONE_LABELS).flatMap(([key, current]) => {
    const value = metadata.labels?.[key];
    return value === undefined ? [] : [{ key, current, values: value.split('__') }];
  });

/** Volumes labelled with a zone can be had in that zone only. */
export const volumeZone = (reader: VolumeReader): Filter => ({
  plugin: 'VolumeZone',
  clusterWide: false,
  prepare({ pod }) {
    const rules = podClaims(pod).flatMap(({ name }) => {
      const volume = reader.volumes.get(reader.claimOf(pod, name)?.spec.volumeName ?? '');
      return volume === undefined ? [] : zoneRules(volume);
    });
    if (rules.length === 0) return undefined;
    return {
      check({ labels }) {
        // A node without any such label is in a cluster of one zone.
        if (!Object.keys(ZONE_LABELS).some((key) => labels[key] !== undefined)) return undefined;
        const fits = rules.every(({ key, current, values }) => values.includes(labels[key] ?? labels[current] ?? ''));
        return fits ? undefined : WRONG_ZONE;
      },
    };
  },
});
