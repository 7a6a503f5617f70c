import { jsonEqual } from '../../../kube/json-equal.ts';
import { asArray, asObject, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { configMapKey, dns1123Label, qualifiedName } from '../names.ts';
import { immutable } from '../object-meta.ts';
import type { Particulars } from './kind-rules.ts';

/** ConfigMaps, Secrets, Namespaces. */

const LIMIT = 1024 * 1024;

const bytesOf = (base64: Json | undefined): Buffer => Buffer.from(asString(base64), 'base64');

const validateKeys = (path: string, names: readonly string[]): readonly FieldError[] =>
  names.flatMap((name) => configMapKey(name).map((words) => field.invalid(field.key(path, name), name, words)));

const validateConfigMap = (object: JsonObject): readonly FieldError[] => {
  const [data, binary] = [asObject(object.data), asObject(object.binaryData)];
  const errors = [...validateKeys('data', Object.keys(data))];
  for (const name of Object.keys(data)) {
    if (Object.hasOwn(binary, name))
      errors.push(field.invalid(field.key('data', name), name, 'duplicate of key present in binaryData'));
  }
  errors.push(...validateKeys('binaryData', Object.keys(binary)));
  const size = [
    ...Object.values(data).map((text) => Buffer.byteLength(asString(text))),
    ...Object.values(binary).map((text) => bytesOf(text).length),
  ].reduce((sum, length) => sum + length, 0);
  return size > LIMIT ? [...errors, field.tooLong('[]', LIMIT)] : errors;
};

const FROZEN = 'field is immutable when `immutable` is set';

const validateFrozen = (object: JsonObject, old: JsonObject, parts: readonly string[]): readonly FieldError[] => {
  if (old.immutable !== true) return [];
  const errors = object.immutable === true ? [] : [field.forbidden('immutable', FROZEN)];
  const changed = parts.filter((part) => !jsonEqual(asObject(object[part]), asObject(old[part])));
  return [...errors, ...changed.map((part) => field.forbidden(part, FROZEN))];
};

export const configMap: Particulars = {
  create: validateConfigMap,
  update: (object, old) => [...validateFrozen(object, old, ['data', 'binaryData']), ...validateConfigMap(object)],
};

const requiredKeys = (data: JsonObject, keys: readonly string[]): readonly FieldError[] =>
  keys.filter((name) => !(name in data)).map((name) => field.required(field.key('data', name)));

/** What Go's JSON parser says of a text, as far as its beginning goes. */
const jsonComplaint = (text: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
    const kinds: Readonly<Record<string, string>> = { boolean: 'bool', number: 'number', string: 'string' };
    const kind = kinds[typeof value] ?? 'array';
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch {
    const trimmed = text.trimStart();
    if (trimmed === '') return 'unexpected end of JSON input';
    const [first = ''] = trimmed;
    return '{["-0123456789tfn'.includes(first)
      ? 'unexpected end of JSON input'
      : `invalid character '${first}' looking for beginning of value`;
  }
};

const validateDockerConfig = (data: JsonObject, name: string): readonly FieldError[] => {
  const missing = requiredKeys(data, [name]);
  if (missing.length > 0) return missing;
  const complaint = jsonComplaint(bytesOf(data[name]).toString());
  const shown = '<secret contents redacted>';
  return complaint === undefined ? [] : [field.invalid(field.key('data', name), shown, complaint)];
};

const ACCOUNT = 'kubernetes.io/service-account.name';

const validateSecretType = (object: JsonObject, data: JsonObject): readonly FieldError[] => {
  switch (object.type) {
    case 'kubernetes.io/service-account-token': {
      const name = asString(asObject(asObject(object.metadata).annotations)[ACCOUNT]);
      return name === '' ? [field.required(field.key('metadata.annotations', ACCOUNT))] : [];
    }
    case 'kubernetes.io/dockercfg':
      return validateDockerConfig(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return validateDockerConfig(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth':
      return 'username' in data || 'password' in data ? [] : requiredKeys(data, ['username', 'password']);
    case 'kubernetes.io/ssh-auth':
      return asString(data['ssh-privatekey']) === '' ? [field.required(field.key('data', 'ssh-privatekey'))] : [];
    case 'kubernetes.io/tls':
      return requiredKeys(data, ['tls.crt', 'tls.key']);
    default:
      return [];
  }
};

const validateSecret = (object: JsonObject): readonly FieldError[] => {
  const data = asObject(object.data);
  const size = Object.values(data).reduce<number>((sum, value) => sum + bytesOf(value).length, 0);
  return [
    ...validateKeys('data', Object.keys(data)),
    ...(size > LIMIT ? [field.tooLong('data', LIMIT)] : []),
    ...validateSecretType(object, data),
  ];
};

export const secret: Particulars = {
  create: validateSecret,
  update: (object, old) => [
    ...immutable('type', object.type, old.type),
    ...validateFrozen(object, old, ['data']),
    ...validateSecret(object),
  ],
};

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

const validateFinalizers = (object: JsonObject, pathOf: (at: number) => string): readonly FieldError[] =>
  asArray(asObject(object.spec).finalizers)
    .map(asString)
    .flatMap((name, at) => {
      const words = qualifiedName(name);
      if (words.length > 0) return words.map((text) => field.invalid(pathOf(at), name, text));
      if (name.includes('/') || STANDARD_FINALIZERS.includes(name)) return [];
      const standard = 'name is neither a standard finalizer name nor is it fully qualified';
      return [field.invalid(pathOf(at), name, standard)];
    });

export const namespace: Particulars = {
  name: dns1123Label,
  create: (object) => validateFinalizers(object, () => 'spec.finalizers'),
  update: () => [],
  parts: { finalize: (object) => validateFinalizers(object, (at) => field.index('spec.finalizers', at)) },
};
