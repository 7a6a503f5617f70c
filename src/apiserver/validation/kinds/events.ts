import { jsonEqual } from '../../../kube/json-equal.ts';
import { asNumber, asObject, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { bytes, dns1123Subdomain, qualifiedName } from '../names.ts';
import { immutable, validateMeta, validateMetaUpdate } from '../object-meta.ts';
import type { Particulars } from './kind-rules.ts';

/** Events in both their groups (core ValidateEventCreate), which name some fields differently. */
interface EventNames {
  readonly object: string;
  readonly message: string;
  readonly controller: string;
  /** The name that errors give the controller's field. */
  readonly controllerPath: string;
}

const CORE: EventNames = {
  object: 'involvedObject',
  message: 'message',
  controller: 'reportingComponent',
  controllerPath: 'reportingComponent',
};
const EVENTS: EventNames = {
  object: 'regarding',
  message: 'note',
  controller: 'reportingController',
  controllerPath: 'reportingController',
};

const tooManyCharacters = (path: string, text: string, most: number): readonly FieldError[] =>
  bytes(text) > most ? [field.invalid(path, '', `can have at most ${most} characters`)] : [];

const requiredText = (path: string, text: string, most: number): readonly FieldError[] =>
  text === '' ? [field.required(path)] : tooManyCharacters(path, text, most);

const validateNew = (event: JsonObject, names: EventNames): readonly FieldError[] => {
  const controller = asString(event[names.controller]);
  const at = names.controllerPath;
  return [
    ...(controller === '' ? [field.required(at)] : []),
    ...qualifiedName(controller).map((words) => field.invalid(at, controller, words)),
    ...requiredText('reportingInstance', asString(event.reportingInstance), 128),
    ...requiredText('action', asString(event.action), 128),
    ...requiredText('reason', asString(event.reason), 128),
    ...tooManyCharacters('message', asString(event[names.message]), 1024),
  ];
};

const validateLegacy = (event: JsonObject, names: EventNames): readonly FieldError[] => {
  const namespace = asString(asObject(event.metadata).namespace);
  const about = asString(asObject(event[names.object]).namespace);
  const dated = (event.eventTime ?? null) !== null;
  const home = dated ? ['default', 'kube-system'] : ['', 'default'];
  const agrees = about === '' ? home.includes(namespace) : dated || about === namespace;
  const mismatch = field.invalid('involvedObject.namespace', about, 'does not match event.namespace');
  return [
    ...(agrees ? [] : [mismatch]),
    ...(dated ? validateNew(event, names) : []),
    ...dns1123Subdomain(namespace).map((words) => field.invalid('namespace', namespace, words)),
  ];
};

const validateSeries = (event: JsonObject): readonly FieldError[] => {
  if (event.series === undefined) return [];
  const { count, lastObservedTime } = asObject(event.series);
  return [
    ...(asNumber(count) < 2 ? [field.invalid('series.count', '', 'should be at least 2')] : []),
    ...((lastObservedTime ?? null) === null ? [field.required('series.lastObservedTime')] : []),
  ];
};

const isSet = (value: Json | undefined): boolean => (value ?? null) !== null && value !== 0;

const UNSET = [
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
] as const;

const validateStrict = (event: JsonObject): readonly FieldError[] => {
  const type = asString(event.type);
  const { component, host } = asObject(event.deprecatedSource);
  const sourced = asString(component) !== '' || asString(host) !== '';
  return [
    ...validateMeta(event, { namespaced: true }),
    ...validateSeries(event),
    ...(isSet(event.eventTime) ? [] : [field.required('eventTime')]),
    ...(type === 'Normal' || type === 'Warning' ? [] : [field.invalid('type', '', `has invalid value: ${type}`)]),
    ...UNSET.filter(([name]) => isSet(event[name])).map(([, path]) => field.invalid(path, '', 'needs to be unset')),
    ...(sourced ? [field.invalid('source', '', 'needs to be unset')] : []),
  ];
};

const FIXED = [
  ['regarding', 'involvedObject'],
  ['reason', 'reason'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['reason', 'reason'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingController', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
] as const;

export const coreEvent: Particulars = { withoutMeta: true, create: (event) => validateLegacy(event, CORE) };

export const event: Particulars = {
  withoutMeta: true,
  create: (object) => [...validateLegacy(object, EVENTS), ...validateStrict(object)],
  update: (object, old) => [
    ...validateLegacy(object, EVENTS),
    ...validateMetaUpdate(object, old),
    ...(jsonEqual(object.series ?? null, old.series ?? null) ? [] : validateSeries(object)),
    ...FIXED.flatMap(([name, path]) => immutable(path, object[name], old[name])),
  ],
};
