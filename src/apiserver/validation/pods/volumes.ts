import { asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { dns1123Label, dns1123Subdomain } from '../names.ts';
import { validateFieldRef, validateResourceFieldRef } from './env.ts';

type Check = (path: string, source: JsonObject) => readonly FieldError[];

const MODE_WORDS = 'must be a number between 0 and 0777 (octal), both inclusive';

const validateMode = (path: string, mode: Json | undefined): readonly FieldError[] =>
  typeof mode === 'number' && (mode < 0 || mode > 0o777) ? [field.invalid(path, mode, MODE_WORDS)] : [];

const validateRelative = (path: string, value: string): readonly FieldError[] => {
  if (value === '') return [field.required(path)];
  if (value.startsWith('/')) return [field.invalid(path, value, 'must be a relative path')];
  if (value.split('/').includes('..')) return [field.invalid(path, value, "must not contain '..'")];
  return value.startsWith('..') ? [field.invalid(path, value, "must not start with '..'")] : [];
};

const validateItems: Check = (path, source) =>
  asObjects(source.items).flatMap((item, position) => {
    const at = field.index(field.child(path, 'items'), position);
    return [
      ...(asString(item.key) === '' ? [field.required(field.child(at, 'key'))] : []),
      ...validateRelative(field.child(at, 'path'), asString(item.path)),
      ...validateMode(field.child(at, 'mode'), item.mode),
    ];
  });

const validateDownwardItems: Check = (path, source) =>
  asObjects(source.items).flatMap((item, position) => {
    const at = field.index(field.child(path, 'items'), position);
    const errors = [...validateRelative(field.child(at, 'path'), asString(item.path))];
    if (item.fieldRef !== undefined) {
      errors.push(...validateFieldRef(field.child(at, 'fieldRef'), asObject(item.fieldRef), true));
    } else if (item.resourceFieldRef !== undefined) {
      const reference = asObject(item.resourceFieldRef);
      errors.push(...validateResourceFieldRef(field.child(at, 'resourceFieldRef'), reference, true));
    } else errors.push(field.required(at, 'one of fieldRef and resourceFieldRef is required'));
    return [...errors, ...validateMode(field.child(at, 'mode'), item.mode)];
  });

const named =
  (name: string): Check =>
  (path, source) => [
    ...(asString(source[name]) === '' ? [field.required(field.child(path, name))] : []),
    ...validateMode(field.child(path, 'defaultMode'), source.defaultMode),
    ...validateItems(path, source),
  ];

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

const validateHostPath: Check = (path, source) => {
  const value = asString(source.path);
  const at = field.child(path, 'path');
  if (value === '') return [field.required(at)];
  const steps = value.split('/').includes('..') ? [field.invalid(at, value, "must not contain '..'")] : [];
  const type = source.type ?? '';
  const known = HOST_PATH_TYPES.includes(asString(type))
    ? []
    : [field.notSupported(field.child(path, 'type'), type, HOST_PATH_TYPES)];
  return [...steps, ...known];
};

const SOURCES: Readonly<Record<string, Check>> = {
  emptyDir: () => [],
  hostPath: validateHostPath,
  secret: named('secretName'),
  configMap: named('name'),
  downwardAPI: (path, source) => [
    ...validateMode(field.child(path, 'defaultMode'), source.defaultMode),
    ...validateDownwardItems(path, source),
  ],
  projected: (path, source) => validateMode(field.child(path, 'defaultMode'), source.defaultMode),
  persistentVolumeClaim: (path, source) =>
    asString(source.claimName) === '' ? [field.required(field.child(path, 'claimName'))] : [],
  ephemeral: (path, source) =>
    source.volumeClaimTemplate === undefined ? [field.required(field.child(path, 'volumeClaimTemplate'))] : [],
  csi: (path, source) => {
    const driver = asString(source.driver);
    const at = field.child(path, 'driver');
    if (driver === '') return [field.required(at)];
    return dns1123Subdomain(driver.toLowerCase()).map((words) => field.invalid(at, driver, words));
  },
  nfs: (path, source) => [
    ...(asString(source.server) === '' ? [field.required(field.child(path, 'server'))] : []),
    ...(asString(source.path) === '' ? [field.required(field.child(path, 'path'))] : []),
  ],
  image: () => [],
};

const validateSource = (path: string, volume: JsonObject): readonly FieldError[] => {
  const given = Object.keys(volume).filter((name) => name !== 'name' && volume[name] !== undefined);
  const [first] = given;
  if (first === undefined) return [field.required(path, 'must specify a volume type')];
  return [
    ...(SOURCES[first]?.(field.child(path, first), asObject(volume[first])) ?? []),
    ...given
      .slice(1)
      .map((name) => field.forbidden(field.child(path, name), 'may not specify more than 1 volume type')),
  ];
};

/** The volumes of a pod; only sound ones can be mounted. */
export const validateVolumes = (
  path: string,
  volumes: readonly JsonObject[],
): { readonly errors: readonly FieldError[]; readonly sound: ReadonlyMap<string, JsonObject> } => {
  const errors: FieldError[] = [];
  const sound = new Map<string, JsonObject>();
  for (const [position, volume] of volumes.entries()) {
    const at = field.index(path, position);
    const name = asString(volume.name);
    const namePath = field.child(at, 'name');
    const own = [
      ...validateSource(at, volume),
      ...(name === ''
        ? [field.required(namePath)]
        : dns1123Label(name).map((words) => field.invalid(namePath, name, words))),
      ...(sound.has(name) ? [field.duplicate(namePath, name)] : []),
    ];
    if (own.length === 0) sound.set(name, volume);
    errors.push(...own);
  }
  return { errors, sound };
};
