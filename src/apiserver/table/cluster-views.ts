import { asNumber, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { isDeleting, labelsOf, nameOf } from '../object-meta.ts';
import { ageOf } from './age.ts';
import { accessModes, age, conditionOf, NONE, orNone, UNKNOWN } from './cells.ts';
import { columns } from './columns.ts';
import type { TableView } from './table.ts';

const unset = (value: unknown): string => asString(value) || '<unset>';

/** Nodes, namespaces, volumes and events, by collection. */
export const clusterViews: Readonly<Record<string, TableView>> = {
  nodes: {
    columns: columns(
      'Name/name',
      'Status',
      'Roles',
      'Age',
      'Version',
      'Internal-IP*',
      'External-IP*',
      'OS-Image*',
      'Kernel-Version*',
      'Container-Runtime*',
    ),
    row: (node, context) => {
      const info = asObject(asObject(node.status).nodeInfo);
      return [
        nameOf(node),
        nodeStatus(node),
        nodeRoles(node),
        age(node, context),
        asString(info.kubeletVersion),
        addressOf(node, 'InternalIP'),
        addressOf(node, 'ExternalIP'),
        asString(info.osImage) || UNKNOWN,
        kernel(info),
        asString(info.containerRuntimeVersion) || UNKNOWN,
      ];
    },
  },
  namespaces: {
    columns: columns('Name/name', 'Status', 'Age'),
    row: (namespace, context) => [
      nameOf(namespace),
      asString(asObject(namespace.status).phase),
      age(namespace, context),
    ],
  },
  persistentvolumes: {
    columns: columns(
      'Name/name',
      'Capacity',
      'Access Modes',
      'Reclaim Policy',
      'Status',
      'Claim',
      'StorageClass',
      'VolumeAttributesClass',
      'Reason',
      'Age',
      'VolumeMode*',
    ),
    row: (volume, context) => {
      const spec = asObject(volume.spec);
      const status = asObject(volume.status);
      const claim = asObject(spec.claimRef);
      return [
        nameOf(volume),
        asString(asObject(spec.capacity).storage),
        accessModes(spec.accessModes),
        asString(spec.persistentVolumeReclaimPolicy),
        isDeleting(volume) ? 'Terminating' : asString(status.phase),
        claim.name ? `${asString(claim.namespace)}/${asString(claim.name)}` : '',
        asString(spec.storageClassName),
        unset(spec.volumeAttributesClassName),
        asString(status.reason),
        age(volume, context),
        unset(spec.volumeMode),
      ];
    },
  },
  persistentvolumeclaims: {
    columns: columns(
      'Name/name',
      'Status',
      'Volume',
      'Capacity',
      'Access Modes',
      'StorageClass',
      'VolumeAttributesClass',
      'Age',
      'VolumeMode*',
    ),
    row: (claim, context) => {
      const spec = asObject(claim.spec);
      const status = asObject(claim.status);
      const bound = asString(spec.volumeName) !== '';
      return [
        nameOf(claim),
        isDeleting(claim) ? 'Terminating' : asString(status.phase),
        asString(spec.volumeName),
        bound ? asString(asObject(status.capacity).storage) : '',
        bound ? accessModes(status.accessModes) : '',
        asString(spec.storageClassName),
        unset(spec.volumeAttributesClassName),
        age(claim, context),
        unset(spec.volumeMode),
      ];
    },
  },
  events: {
    columns: columns(
      'Last Seen',
      'Type',
      'Reason',
      'Object',
      'Subobject*',
      'Source*',
      'Message',
      'First Seen*',
      'Count*',
      'Name/name*',
    ),
    row: (event, { now }) => {
      const series = asObject(event.series);
      const first = ageOf(event.firstTimestamp ?? event.eventTime, now);
      const last = series.lastObservedTime ?? event.lastTimestamp;
      const involved = asObject(event.involvedObject);
      const name = asString(involved.name);
      const kind = asString(involved.kind).toLowerCase();
      return [
        last ? ageOf(last, now) : first,
        asString(event.type),
        asString(event.reason),
        name ? `${kind}/${name}` : kind,
        asString(involved.fieldPath),
        eventSource(event),
        asString(event.message).trim(),
        first,
        asNumber(series.count) || asNumber(event.count) || 1,
        nameOf(event),
      ];
    },
  },
};

function nodeStatus(node: JsonObject): string {
  const { status } = conditionOf(node, 'Ready');
  const ready = status === undefined ? 'Unknown' : status === 'True' ? 'Ready' : 'NotReady';
  return asObject(node.spec).unschedulable === true ? `${ready},SchedulingDisabled` : ready;
}

function nodeRoles(node: JsonObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(labelsOf(node))) {
    if (key.startsWith(prefix) && key.length > prefix.length) roles.add(key.slice(prefix.length));
    else if (key === 'kubernetes.io/role' && value) roles.add(value);
  }
  return [...roles].sort().join(',') || NONE;
}

const addressOf = (node: JsonObject, type: string): string =>
  orNone(asObjects(asObject(node.status).addresses).find((one) => one.type === type)?.address);

function kernel(info: JsonObject): string {
  const version = asString(info.kernelVersion);
  const architecture = asString(info.architecture);
  if (!version) return UNKNOWN;
  return architecture ? `${version} (${architecture})` : version;
}

function eventSource(event: JsonObject): string {
  const source = asObject(event.source);
  const [component, host] = asString(source.component)
    ? [source.component, source.host]
    : [event.reportingComponent, event.reportingInstance];
  return [asString(component), asString(host)].filter(Boolean).join(', ');
}
