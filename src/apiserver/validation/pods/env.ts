import { asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { configMapKey, environmentName, qualifiedName } from '../names.ts';

const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

const SUBSCRIPT = /^(metadata\.(?:annotations|labels))\['([^']+)'\]$/;

/** A field of the pod that a container may see. */
export const validateFieldRef = (path: string, reference: JsonObject, files: boolean): readonly FieldError[] => {
  const fieldPath = asString(reference.fieldPath);
  const at = field.child(path, 'fieldPath');
  if (fieldPath === '') return [field.required(at)];
  const subscript = SUBSCRIPT.exec(fieldPath);
  if (subscript !== null) {
    return qualifiedName((subscript[2] ?? '').toLowerCase()).map((words) => field.invalid(at, subscript[2], words));
  }
  const known = files
    ? ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid']
    : ENV_FIELDS;
  if (known.includes(fieldPath)) return [];
  const convertible = [...ENV_FIELDS, 'metadata.annotations', 'metadata.labels', 'spec.restartPolicy', 'status.phase'];
  return convertible.includes(fieldPath)
    ? [field.notSupported(at, fieldPath, known)]
    : [field.invalid(at, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`)];
};

/** An amount that a container may see. */
export const validateResourceFieldRef = (
  path: string,
  reference: JsonObject,
  files: boolean,
): readonly FieldError[] => {
  const resource = asString(reference.resource);
  if (files && asString(reference.containerName) === '') return [field.required(field.child(path, 'containerName'))];
  const at = field.child(path, 'resource');
  if (resource === '') return [field.required(at)];
  if (RESOURCES.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource)) return [];
  return [field.notSupported(at, resource, RESOURCES)];
};

const validateKeyRef = (path: string, reference: JsonObject): readonly FieldError[] => {
  const key = asString(reference.key);
  if (key === '') return [field.required(field.child(path, 'key'))];
  return configMapKey(key).map((words) => field.invalid(field.child(path, 'key'), key, words));
};

const SOURCES: Readonly<Record<string, (path: string, reference: JsonObject) => readonly FieldError[]>> = {
  fieldRef: (path, reference) => validateFieldRef(path, reference, false),
  resourceFieldRef: (path, reference) => validateResourceFieldRef(path, reference, false),
  configMapKeyRef: validateKeyRef,
  secretKeyRef: validateKeyRef,
  fileKeyRef: () => [],
};

const validateSource = (path: string, variable: JsonObject): readonly FieldError[] => {
  const source = asObject(variable.valueFrom);
  const given = Object.keys(SOURCES).filter((name) => source[name] !== undefined);
  const errors = given.flatMap((name) => SOURCES[name]?.(field.child(path, name), asObject(source[name])) ?? []);
  if (given.length === 0) {
    const words =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [...errors, field.invalid(path, '', words)];
  }
  if (asString(variable.value) !== '') {
    return [...errors, field.invalid(path, '', 'may not be specified when `value` is not empty')];
  }
  const many = 'may not have more than one field specified at a time';
  return given.length > 1 ? [...errors, field.invalid(path, '', many)] : errors;
};

export const validateEnv = (path: string, container: JsonObject): readonly FieldError[] =>
  asObjects(container.env).flatMap((variable, position) => {
    const at = field.index(path, position);
    const name = asString(variable.name);
    const namePath = field.child(at, 'name');
    const named =
      name === ''
        ? [field.required(namePath)]
        : environmentName(name).map((words) => field.invalid(namePath, name, words));
    return variable.valueFrom === undefined
      ? named
      : [...named, ...validateSource(field.child(at, 'valueFrom'), variable)];
  });

export const validateEnvFrom = (path: string, container: JsonObject): readonly FieldError[] =>
  asObjects(container.envFrom).flatMap((source, position) => {
    const at = field.index(path, position);
    const prefix = asString(source.prefix);
    const errors =
      prefix === ''
        ? []
        : environmentName(prefix).map((words) => field.invalid(field.child(at, 'prefix'), prefix, words));
    const given = ['configMapRef', 'secretRef'].filter((name) => source[name] !== undefined);
    for (const name of given) {
      if (asString(asObject(source[name]).name) === '') errors.push(field.required(`${at}.${name}.name`));
    }
    if (given.length === 1) return errors;
    const words =
      given.length === 0
        ? 'must specify one of: `configMapRef` or `secretRef`'
        : 'may not have more than one field specified at a time';
    return [...errors, field.invalid(path, '', words)];
  });
