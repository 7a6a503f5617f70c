import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { type FieldSet, isEmptySet } from './field-set.ts';

/** One entry of metadata.managedFields. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** RFC 3339 in seconds and UTC. */
  readonly time?: string;
  readonly fields: FieldSet;
}

/** Managers by identity, as `identify` tells it. */
export type Managers = Map<string, Manager>;

/**
 * What makes a manager the same one: an applier keeps its identity from version to version, an updater has one per version.
 * The text orders and prints as upstream's, which is a managedFields entry without its fields.
 */
export function identify(manager: Omit<Manager, 'fields' | 'time'>): string {
  return JSON.stringify({
    manager: manager.manager === '' ? undefined : manager.manager,
    operation: manager.operation,
    apiVersion: manager.operation === 'Apply' ? undefined : manager.apiVersion,
    subresource: manager.subresource === '' ? undefined : manager.subresource,
  });
}

/** The object's metadata.managedFields, undefined where it has none. */
export function managedFieldsOf(object: JsonObject): Json | undefined {
  return isObject(object.metadata) ? object.metadata.managedFields : undefined;
}

/** The managers of a managedFields list; undefined if an entry is malformed. Fields that are stored are taken as they are. */
export function decodeManagers(entries: Json | undefined, stored = false): Managers | undefined {
  const managers: Managers = new Map();
  if (entries === undefined || entries === null) return managers;
  if (!Array.isArray(entries)) return undefined;
  for (const entry of entries as readonly Json[]) {
    const manager = isObject(entry) ? decodeManager(entry, stored) : undefined;
    if (manager === undefined) return undefined;
    managers.set(identify(manager), manager);
  }
  return managers;
}

function decodeManager(entry: JsonObject, stored: boolean): Manager | undefined {
  const { operation, apiVersion, fieldsV1 } = entry;
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (typeof apiVersion !== 'string' || apiVersion === '' || entry.fieldsType !== 'FieldsV1') return undefined;
  const fields = fieldsV1 ?? {};
  if (!stored && !isFieldSet(fields)) return undefined;
  return {
    manager: text(entry.manager),
    operation,
    apiVersion,
    subresource: text(entry.subresource),
    ...(typeof entry.time === 'string' ? { time: entry.time } : {}),
    fields: fields as FieldSet,
  };
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

const isFieldSet = (value: Json | undefined): value is FieldSet =>
  isObject(value) && Object.values(value).every(isFieldSet);

/** managedFields in upstream's order: appliers before updaters, then by time and name. Undefined for no managers. */
export function encodeManagers(managers: Managers): readonly JsonObject[] | undefined {
  const entries = [...managers.values()].filter(({ fields }) => !isEmptySet(fields));
  if (entries.length === 0) return undefined;
  return entries.sort(compareManagers).map(({ manager, operation, apiVersion, subresource, time, fields }) => ({
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource === '' ? {} : { subresource }),
  }));
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A copy of the object with these managers as its managedFields. */
export function withManagers(object: JsonObject, managers: Managers): JsonObject {
  const entries = encodeManagers(managers);
  const { managedFields: _, ...metadata } = isObject(object.metadata) ? object.metadata : {};
  if (entries === undefined) return 'metadata' in object ? { ...object, metadata } : object;
  return { ...object, metadata: { ...metadata, managedFields: entries } };
}

/** A copy of the object without managedFields. */
export const withoutManagers = (object: JsonObject): JsonObject => withManagers(object, new Map());
