import { asArray, asNumber, asObject, asObjects, asString } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { isDeleting, metaOf, nameOf } from '../object-meta.ts';
import { age, conditionOf, joined, NONE } from './cells.ts';
import { columns } from './columns.ts';
import type { TableView } from './table.ts';

const named = (...middle: readonly string[]) => columns('Name/name', ...middle, 'Age');
const orNone = (value: Json | undefined): Json => (value === undefined ? NONE : String(value));

/** Configuration, storage, devices and the server's own matters, by collection. */
export const storageViews: Readonly<Record<string, TableView>> = {
  configmaps: {
    columns: named('Data'),
    row: (map, context) => {
      const size = Object.keys(asObject(map.data)).length + Object.keys(asObject(map.binaryData)).length;
      return [nameOf(map), size, age(map, context)];
    },
  },
  secrets: {
    columns: named('Type', 'Data'),
    row: (secret, context) => [
      nameOf(secret),
      asString(secret.type),
      Object.keys(asObject(secret.data)).length,
      age(secret, context),
    ],
  },
  serviceaccounts: { columns: named(), row: (account, context) => [nameOf(account), age(account, context)] },
  'coordination.k8s.io/leases': {
    columns: named('Holder'),
    row: (lease, context) => [nameOf(lease), asString(asObject(lease.spec).holderIdentity), age(lease, context)],
  },
  'node.k8s.io/runtimeclasses': {
    columns: named('Handler'),
    row: (runtime, context) => [nameOf(runtime), asString(runtime.handler), age(runtime, context)],
  },
  'storage.k8s.io/storageclasses': {
    columns: named('Provisioner', 'ReclaimPolicy', 'VolumeBindingMode', 'AllowVolumeExpansion'),
    row: (storage, context) => {
      const annotations = asObject(metaOf(storage).annotations);
      const isDefault = [
        'storageclass.kubernetes.io/is-default-class',
        'storageclass.beta.kubernetes.io/is-default-class',
      ].some((key) => annotations[key] === 'true');
      return [
        isDefault ? `${nameOf(storage)} (default)` : nameOf(storage),
        asString(storage.provisioner),
        asString(storage.reclaimPolicy) || 'Delete',
        asString(storage.volumeBindingMode) || 'Immediate',
        storage.allowVolumeExpansion === true,
        age(storage, context),
      ];
    },
  },
  'storage.k8s.io/volumeattributesclasses': {
    columns: named('DriverName'),
    row: (attributes, context) => [nameOf(attributes), asString(attributes.driverName), age(attributes, context)],
  },
  'storage.k8s.io/volumeattachments': {
    columns: named('Attacher/name', 'PV', 'Node', 'Attached:boolean'),
    row: (attachment, context) => {
      const spec = asObject(attachment.spec);
      return [
        nameOf(attachment),
        asString(spec.attacher),
        asString(asObject(spec.source).persistentVolumeName),
        asString(spec.nodeName),
        asObject(attachment.status).attached === true,
        age(attachment, context),
      ];
    },
  },
  'storage.k8s.io/csinodes': {
    columns: named('Drivers:integer'),
    row: (node, context) => [nameOf(node), asArray(asObject(node.spec).drivers).length, age(node, context)],
  },
  'storage.k8s.io/csidrivers': {
    columns: named(
      'AttachRequired:boolean',
      'PodInfoOnMount:boolean',
      'StorageCapacity:boolean',
      'TokenRequests',
      'RequiresRepublish:boolean',
      'Modes',
    ),
    row: (driver, context) => {
      const spec = asObject(driver.spec);
      const tokens = asObjects(spec.tokenRequests).map(({ audience }) => asString(audience));
      return [
        nameOf(driver),
        spec.attachRequired !== false,
        spec.podInfoOnMount === true,
        spec.storageCapacity === true,
        tokens.length > 0 ? joined(tokens) : '<unset>',
        spec.requiresRepublish === true,
        joined(asArray(spec.volumeLifecycleModes)) || '<unset>',
        age(driver, context),
      ];
    },
  },
  'storage.k8s.io/csistoragecapacities': {
    columns: columns('Name/name', 'StorageClassName', 'Capacity'),
    row: (capacity) => [
      nameOf(capacity),
      asString(capacity.storageClassName),
      asString(capacity.capacity) || '<unset>',
    ],
  },
  'resource.k8s.io/deviceclasses': {
    columns: named(),
    row: (device, context) => [nameOf(device), age(device, context)],
  },
  'resource.k8s.io/resourceclaims': {
    columns: named('State'),
    row: (claim, context) => [nameOf(claim), claimState(claim), age(claim, context)],
  },
  'resource.k8s.io/resourceclaimtemplates': {
    columns: named(),
    row: (template, context) => [nameOf(template), age(template, context)],
  },
  'resource.k8s.io/resourceslices': {
    columns: named('Node', 'Driver', 'Pool'),
    row: (slice, context) => {
      const spec = asObject(slice.spec);
      const pool = asString(asObject(spec.pool).name);
      return [nameOf(slice), asString(spec.nodeName), asString(spec.driver), pool, age(slice, context)];
    },
  },
  'apiregistration.k8s.io/apiservices': {
    columns: named('Service', 'Available'),
    row: (service, context) => {
      const target = asObject(asObject(service.spec).service);
      const { status, reason } = conditionOf(service, 'Available');
      const available =
        status === 'True' ? 'True' : `${asString(status) || 'Unknown'}${reason ? ` (${asString(reason)})` : ''}`;
      const shown = target.name ? `${asString(target.namespace)}/${asString(target.name)}` : 'Local';
      return [nameOf(service), shown, available, age(service, context)];
    },
  },
  'flowcontrol.apiserver.k8s.io/flowschemas': {
    columns: columns('Name/name', 'PriorityLevel', 'MatchingPrecedence', 'DistinguisherMethod', 'Age', 'MissingPL'),
    row: (schema, context) => {
      const spec = asObject(schema.spec);
      return [
        nameOf(schema),
        asString(asObject(spec.priorityLevelConfiguration).name) || NONE,
        asNumber(spec.matchingPrecedence),
        asString(asObject(spec.distinguisherMethod).type) || NONE,
        age(schema, context),
        asString(conditionOf(schema, 'Dangling').status) || '?',
      ];
    },
  },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': {
    columns: named('Type', 'NominalConcurrencyShares', 'Queues', 'HandSize', 'QueueLengthLimit'),
    row: (level, context) => {
      const spec = asObject(level.spec);
      const limited = asObject(spec.limited);
      const queuing = asObject(asObject(limited.limitResponse).queuing);
      return [
        nameOf(level),
        asString(spec.type),
        orNone(limited.nominalConcurrencyShares),
        orNone(queuing.queues),
        orNone(queuing.handSize),
        orNone(queuing.queueLengthLimit),
        age(level, context),
      ];
    },
  },
};

function claimState(claim: JsonObject): string {
  const status = asObject(claim.status);
  const states = [
    ...(isDeleting(claim) ? ['deleted'] : []),
    ...(status.allocation === undefined ? (isDeleting(claim) ? [] : ['pending']) : ['allocated']),
    ...(asArray(status.reservedFor).length > 0 ? ['reserved'] : []),
  ];
  return states.join(',');
}
