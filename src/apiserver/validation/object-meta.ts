import { jsonEqual } from '../../kube/json-equal.ts';
import type { FieldError, Json, JsonObject } from '../kind.ts';
import * as field from './field-error.ts';
import { goJson, goNumber, goQuote } from './go-text.ts';
import { type Check, dns1123Label, dns1123Subdomain, labelValue, pathSegmentName, qualifiedName } from './names.ts';

/** Validation of metadata, shared by all kinds (apimachinery api/validation/objectmeta.go). */

const ANNOTATIONS_LIMIT = 256 * 1024;

const asObject = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

const asList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);

const asText = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

export interface MetaRules {
  readonly namespaced: boolean;
  readonly name?: Check;
  /** Names that get a generated suffix may end like this; defaults to `name` after dropping a trailing dash. */
  readonly generateName?: Check;
}

/** A generated name's prefix may end with a dash, which the suffix makes valid. */
const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

export const validateMeta = (object: JsonObject, rules: MetaRules, path = 'metadata'): readonly FieldError[] => {
  const meta = asObject(object.metadata);
  const check = rules.name ?? dns1123Subdomain;
  const errors: FieldError[] = [];
  const generateName = asText(meta.generateName);
  if (generateName !== '') {
    for (const words of check(maskTrailingDash(generateName))) {
      errors.push(field.invalid(field.child(path, 'generateName'), generateName, words));
    }
  }
  const name = asText(meta.name);
  const namePath = field.child(path, 'name');
  if (name === '') errors.push(field.required(namePath, 'name or generateName is required'));
  else for (const words of check(name)) errors.push(field.invalid(namePath, name, words));
  errors.push(...validateNamespace(meta, rules.namespaced, path), ...validateCommon(meta, path));
  return errors;
};

const validateNamespace = (meta: JsonObject, namespaced: boolean, path: string): readonly FieldError[] => {
  const namespace = asText(meta.namespace);
  const at = field.child(path, 'namespace');
  if (!namespaced) return namespace === '' ? [] : [field.forbidden(at, 'not allowed on this type')];
  if (namespace === '') return [field.required(at)];
  return dns1123Label(namespace).map((words) => field.invalid(at, namespace, words));
};

const validateCommon = (meta: JsonObject, path: string): readonly FieldError[] => [
  ...(typeof meta.generation === 'number' && meta.generation < 0
    ? [field.invalid(field.child(path, 'generation'), meta.generation, 'must be greater than or equal to 0')]
    : []),
  ...validateLabels(meta.labels, field.child(path, 'labels')),
  ...validateAnnotations(meta.annotations, field.child(path, 'annotations')),
  ...validateOwners(meta.ownerReferences, field.child(path, 'ownerReferences')),
  ...validateFinalizers(meta.finalizers, field.child(path, 'finalizers')),
];

export const validateLabels = (labels: Json | undefined, path: string): readonly FieldError[] => {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(asObject(labels))) {
    for (const words of qualifiedName(name)) errors.push(field.invalid(path, name, words));
    for (const words of labelValue(asText(value))) errors.push(field.invalid(path, asText(value), words));
  }
  return errors;
};

export const validateAnnotations = (annotations: Json | undefined, path: string): readonly FieldError[] => {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [name, value] of Object.entries(asObject(annotations))) {
    for (const words of qualifiedName(name.toLowerCase())) errors.push(field.invalid(path, name, words));
    size += Buffer.byteLength(name) + Buffer.byteLength(asText(value));
  }
  if (size > ANNOTATIONS_LIMIT) errors.push(field.tooLong(path, ANNOTATIONS_LIMIT));
  return errors;
};

const OWNER_FIELDS = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'];

const ownerJson = (owner: JsonObject): string => {
  const parts = OWNER_FIELDS.filter((name) => owner[name] !== undefined).map(
    (name) => `"${name}":${goJson(owner[name])}`,
  );
  return `{${parts.join(',')}}`;
};

const versionOf = (apiVersion: string): string | undefined => {
  const parts = apiVersion.split('/');
  return parts.length > 2 ? undefined : parts.at(-1);
};

const validateOwners = (value: Json | undefined, path: string): readonly FieldError[] => {
  const owners = asList(value).map(asObject);
  const errors: FieldError[] = [];
  let controller = '';
  for (const owner of owners) {
    const [apiVersion, kind, name, uid] = [
      asText(owner.apiVersion),
      asText(owner.kind),
      asText(owner.name),
      asText(owner.uid),
    ];
    const version = versionOf(apiVersion) ?? '';
    const empty = (field_: string, text: string): void => {
      if (text === '') errors.push(field.invalid(field.child(path, field_), text, 'must not be empty'));
    };
    if (version === '')
      errors.push(field.invalid(field.child(path, 'apiVersion'), apiVersion, 'version must not be empty'));
    empty('kind', kind);
    empty('name', name);
    empty('uid', uid);
    if (apiVersion === 'v1' && kind === 'Event') {
      const shown = new field.Verbatim(ownerJson(owner));
      errors.push(field.invalid(path, shown, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner.controller !== true) continue;
    if (controller === '') {
      controller = `${kind}/${name}`;
      continue;
    }
    const shown = new field.Verbatim(`[${owners.map(ownerJson).join(',')}]`);
    const words = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${kind}/${name}`;
    errors.push(field.invalid(path, shown, words));
  }
  return errors;
};

const validateFinalizers = (value: Json | undefined, path: string): readonly FieldError[] => {
  const finalizers = asList(value).map(asText);
  const errors = finalizers.flatMap((name) => qualifiedName(name).map((words) => field.invalid(path, name, words)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(field.invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
};

const IMMUTABLE = ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'];

/** `field is immutable`, unless the values are equal. */
export const immutable = (path: string, value: Json | undefined, old: Json | undefined): readonly FieldError[] =>
  jsonEqual(value ?? null, old ?? null) ? [] : [field.invalid(path, value, 'field is immutable')];

export const validateMetaUpdate = (
  object: JsonObject,
  previous: JsonObject,
  path = 'metadata',
): readonly FieldError[] => {
  const meta = asObject(object.metadata);
  const old = asObject(previous.metadata);
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const known = asList(old.finalizers).map(asText);
    const added = [...new Set(asList(meta.finalizers).map(asText))].filter((name) => !known.includes(name)).sort();
    if (added.length > 0) {
      const words = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map(goQuote).join(', ')}}`;
      errors.push(field.forbidden(field.child(path, 'finalizers'), words));
    }
  }
  if (asText(meta.resourceVersion) === '') {
    errors.push(field.invalid(field.child(path, 'resourceVersion'), '', 'must be specified for an update'));
  }
  const generation = (from: JsonObject): number => (typeof from.generation === 'number' ? from.generation : 0);
  if (generation(meta) < generation(old)) {
    const shown = new field.Verbatim(goNumber(generation(meta)));
    errors.push(field.invalid(field.child(path, 'generation'), shown, 'must not be decremented'));
  }
  for (const name of IMMUTABLE) {
    const blank = name.endsWith('Seconds') || name.endsWith('Timestamp') ? undefined : '';
    errors.push(...immutable(field.child(path, name), meta[name] ?? blank, old[name] ?? blank));
  }
  errors.push(...validateLabels(meta.labels, field.child(path, 'labels')));
  errors.push(...validateAnnotations(meta.annotations, field.child(path, 'annotations')));
  errors.push(...validateOwners(meta.ownerReferences, field.child(path, 'ownerReferences')));
  return errors;
};

/** What the API says of the metadata in any update, before and beside what the kind itself says of it. */
export const validateAnyUpdate = (
  object: JsonObject,
  previous: JsonObject,
  namespaced: boolean,
): readonly FieldError[] => [
  ...validateMeta(object, { namespaced, name: pathSegmentName }),
  ...validateMetaUpdate(object, previous),
];

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Warnings about finalizers that a write adds to a custom resource. */
export const finalizerWarnings = (object: JsonObject, old: JsonObject | undefined): readonly string[] => {
  const known = new Set(asList(asObject(old?.metadata).finalizers).map(asText));
  const added = [...new Set(asList(asObject(object.metadata).finalizers).map(asText))].filter(
    (name) => !known.has(name),
  );
  return added.sort().flatMap((name) => {
    const prefix = `metadata.finalizers: ${goQuote(name)}: `;
    const warnings = qualifiedName(name).map((words) => `${prefix}${words}`);
    if (!name.includes('/') && !STANDARD_FINALIZERS.has(name)) {
      const path = name.includes('.') ? 'including a path (/) ' : '';
      warnings.push(
        `${prefix}prefer a domain-qualified finalizer name ${path}to avoid accidental conflicts with other finalizer writers`,
      );
    }
    return warnings;
  });
};
