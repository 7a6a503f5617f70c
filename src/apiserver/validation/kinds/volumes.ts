import { jsonEqual } from '../../../kube/json-equal.ts';
import { compareQuantities } from '../../../kube/quantity.ts';
import { asArray, asObject, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import { differenceText } from '../difference-text.ts';
import * as field from '../field-error.ts';
import { bytes, dns1123Subdomain } from '../names.ts';
import { immutable } from '../object-meta.ts';
import { printQuantity, quantityOf, validateAmount } from '../resource-names.ts';
import { validateLabelSelector, validateNodeSelector } from '../selectors.ts';
import type { Particulars } from './kind-rules.ts';

/** PersistentVolumeClaims, PersistentVolumes and the storage.k8s.io group. */

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];

const validateAccessModes = (path: string, value: Json | undefined): readonly FieldError[] => {
  const modes = asArray(value).map(asString);
  const errors = modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => field.notSupported(path, mode, ACCESS_MODES));
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  return modes.includes('ReadWriteOncePod') && others
    ? [...errors, field.forbidden(path, 'may not use ReadWriteOncePod with other access modes')]
    : errors;
};

const validateName = (path: string, value: Json | undefined): readonly FieldError[] =>
  asString(value) === '' ? [] : dns1123Subdomain(asString(value)).map((words) => field.invalid(path, value, words));

const positive = (path: string, value: Json): readonly FieldError[] =>
  quantityOf(value).unscaled <= 0n ? [field.invalid(path, printQuantity(value), 'must be greater than zero')] : [];

const validateVolumeMode = (path: string, mode: Json | undefined): readonly FieldError[] =>
  mode === undefined || VOLUME_MODES.includes(asString(mode)) ? [] : [field.notSupported(path, mode, VOLUME_MODES)];

const validateDataSource = (path: string, source: Json | undefined): readonly FieldError[] => {
  if (source === undefined) return [];
  const { name, kind, apiGroup } = asObject(source);
  const errors: FieldError[] = [];
  if (asString(name) === '') errors.push(field.required(field.child(path, 'name')));
  if (asString(kind) === '') errors.push(field.required(field.child(path, 'kind')));
  if (asString(apiGroup) === '') {
    if (kind !== 'PersistentVolumeClaim') {
      errors.push(
        field.invalid(path, kind ?? '', "must be 'PersistentVolumeClaim' when referencing the default apiGroup"),
      );
    }
  } else errors.push(...validateName(field.child(path, 'apiGroup'), apiGroup));
  return errors;
};

/** The spec of a claim, also of the claims that StatefulSets and ephemeral volumes make. */
const validateClaimSpec = (path: string, spec: JsonObject): readonly FieldError[] => {
  const modes = field.child(path, 'accessModes');
  const storagePath = field.key(field.child(path, 'resources'), 'storage');
  const { storage } = asObject(asObject(spec.resources).requests);
  const amount = storage === undefined ? [field.required(storagePath)] : positive(storagePath, storage);
  return [
    ...(asArray(spec.accessModes).length === 0 ? [field.required(modes, 'at least 1 access mode is required')] : []),
    ...validateLabelSelector(field.child(path, 'selector'), spec.selector),
    ...validateAccessModes(modes, spec.accessModes),
    ...(amount.length > 0 ? amount : validateAmount(storagePath, 'storage', storage)),
    ...validateName(field.child(path, 'storageClassName'), spec.storageClassName),
    ...validateVolumeMode(field.child(path, 'volumeMode'), spec.volumeMode),
    ...validateDataSource(field.child(path, 'dataSource'), spec.dataSource),
    ...validateDataSource(field.child(path, 'dataSourceRef'), spec.dataSourceRef),
    ...validateName(field.child(path, 'volumeAttributesClassName'), spec.volumeAttributesClassName),
  ];
};

const requestOf = (object: JsonObject): Json | undefined =>
  asObject(asObject(asObject(object.spec).resources).requests).storage;

/** The new spec with everything put back that may change. */
const mungeClaim = (object: JsonObject, old: JsonObject): readonly [JsonObject, JsonObject] => {
  const [spec, before] = [asObject(object.spec), asObject(old.spec)];
  const bound = asObject(object.status).phase === 'Bound';
  const after = asString(before.volumeName) === '' ? { ...before, volumeName: spec.volumeName } : before;
  const unclassed = before.storageClassName === undefined ? { storageClassName: undefined } : {};
  const munged = { ...spec, ...unclassed };
  if (!bound) return [munged, after];
  const resources = asObject(spec.resources);
  const requests = { ...asObject(resources.requests), storage: requestOf(old) };
  return [
    { ...munged, resources: { ...resources, requests }, volumeAttributesClassName: before.volumeAttributesClassName },
    after,
  ];
};

const validateClaimUpdate = (object: JsonObject, old: JsonObject): readonly FieldError[] => {
  const [munged, before] = mungeClaim(object, old);
  const errors = [...validateClaimSpec('spec', asObject(object.spec))];
  if (!jsonEqual(munged, before)) {
    const words = `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${differenceText(before, munged)}`;
    errors.push(field.forbidden('spec', words));
  }
  const [size, previous] = [requestOf(object), requestOf(old)].map(quantityOf);
  const capacity = quantityOf(asObject(asObject(old.status).capacity).storage);
  if (size && previous && compareQuantities(size, previous) < 0 && compareQuantities(size, capacity) <= 0) {
    errors.push(field.forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  }
  const [mode, modeBefore] = [asObject(object.spec).volumeMode, asObject(old.spec).volumeMode];
  return [...errors, ...immutable('volumeMode', mode ?? null, modeBefore ?? null)];
};

export const persistentVolumeClaim: Particulars = {
  create: (object) => validateClaimSpec('spec', asObject(object.spec)),
  update: validateClaimUpdate,
};

const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];

export const validateDriverName = (path: string, name: string): readonly FieldError[] => {
  if (name === '') return [field.required(path)];
  const errors = bytes(name) > 63 ? [field.tooLong(path, 63)] : [];
  return [...errors, ...dns1123Subdomain(name.toLowerCase()).map((words) => field.invalid(path, name, words))];
};

const validateSource = (path: string, name: string, source: JsonObject): readonly FieldError[] => {
  if (name === 'csi') {
    const handle = asString(source.volumeHandle) === '' ? [field.required(field.child(path, 'volumeHandle'))] : [];
    return [...validateDriverName(field.child(path, 'driver'), asString(source.driver)), ...handle];
  }
  if (name === 'hostPath' || name === 'local') {
    const at = field.child(path, 'path');
    const text = asString(source.path);
    if (text === '') return [field.required(at)];
    return text.split('/').includes('..') ? [field.invalid(at, text, "must not contain '..'")] : [];
  }
  if (name === 'nfs') {
    const missing = ['server', 'path'].filter((part) => asString(source[part]) === '');
    return missing.map((part) => field.required(field.child(path, part)));
  }
  return [];
};

const validateSources = (spec: JsonObject): readonly FieldError[] => {
  const given = SOURCES.filter((name) => spec[name] !== undefined);
  const [first, ...more] = given;
  if (first === undefined) return [field.required('spec', 'must specify a volume type')];
  const local =
    given.includes('local') && asObject(spec.nodeAffinity).required === undefined
      ? [field.required('spec.nodeAffinity', 'Local volume requires node affinity')]
      : [];
  return [
    ...validateSource(`spec.${first}`, first, asObject(spec[first])),
    ...more.map((name) => field.forbidden(`spec.${name}`, 'may not specify more than 1 volume type')),
    ...local,
  ];
};

const validateCapacity = (spec: JsonObject): readonly FieldError[] => {
  const path = 'spec.capacity';
  const capacity = asObject(spec.capacity);
  const names = Object.keys(capacity);
  return [
    ...(names.length === 0 ? [field.required(path)] : []),
    ...(capacity.storage === undefined || names.length > 1 ? [field.notSupported(path, capacity, ['storage'])] : []),
    ...Object.entries(capacity).flatMap(([name, amount]) => positive(field.key(path, name), amount ?? null)),
  ];
};

const RECLAIM = ['Delete', 'Recycle', 'Retain'];

const validateVolume = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  const policy = asString(spec.persistentVolumeReclaimPolicy);
  const policyPath = 'spec.persistentVolumeReclaimPolicy';
  const { nodeAffinity } = spec;
  const { required } = asObject(nodeAffinity);
  const affinity = 'spec.nodeAffinity.required';
  return [
    ...(asArray(spec.accessModes).length === 0 ? [field.required('spec.accessModes')] : []),
    ...validateAccessModes('spec.accessModes', spec.accessModes),
    ...validateCapacity(spec),
    ...(policy === '' || RECLAIM.includes(policy) ? [] : [field.notSupported(policyPath, policy, RECLAIM)]),
    ...(nodeAffinity !== undefined && required === undefined
      ? [field.required(affinity, 'must specify required node constraints')]
      : []),
    ...(required === undefined ? [] : validateNodeSelector(affinity, asObject(required))),
    ...validateSources(spec),
    ...validateName('spec.storageClassName', spec.storageClassName),
    ...validateVolumeMode('spec.volumeMode', spec.volumeMode),
  ];
};

export const persistentVolume: Particulars = {
  create: validateVolume,
  update: (object, old) => {
    const sources = ({ spec }: JsonObject): JsonObject =>
      Object.fromEntries(
        SOURCES.flatMap((name) => {
          const source = asObject(spec)[name];
          return source === undefined ? [] : [[name, source]];
        }),
      );
    const [now, before] = [sources(object), sources(old)];
    const words = `spec.persistentvolumesource is immutable after creation\n${differenceText(before, now)}`;
    const [mode, modeBefore] = [asObject(object.spec).volumeMode, asObject(old.spec).volumeMode];
    return [
      ...validateVolume(object),
      ...(jsonEqual(now, before) ? [] : [field.forbidden('spec.persistentvolumesource', words)]),
      ...immutable('volumeMode', mode ?? null, modeBefore ?? null),
    ];
  },
};
