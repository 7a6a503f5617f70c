import { CronSyntaxError, parseCron } from '../../../kube/cron.ts';
import { jsonEqual } from '../../../kube/json-equal.ts';
import { timeZone, UnknownTimeZoneError } from '../../../kube/time-zone.ts';
import { asNumber, asObject, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';

import { dns1123Label, dns1123Subdomain, tooManyCharacters } from '../names.ts';
import { nonNegative, oneOf } from '../numbers.ts';
import { immutable } from '../object-meta.ts';
import {
  labelsOf,
  shownSelector,
  validatePodTemplate,
  validateTemplateLabels,
  validateWorkloadSelector,
} from '../pods/pod-template.ts';
import { podWarnings } from '../pods/pod-warnings.ts';
import type { Particulars } from './kind-rules.ts';

/** batch/v1 (pkg/apis/batch/validation). */

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

const validateManager = (path: string, manager: Json | undefined): readonly FieldError[] => {
  if (manager === undefined) return [];
  const text = asString(manager);
  if (text === '') return [field.required(path)];
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) {
    return [field.invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const host = text.slice(0, slash);
  return [
    ...dns1123Subdomain(host).map((words) => field.invalid(path, host, words)),
    ...(text.length > 63 ? [field.tooLong(path, 63)] : []),
  ];
};

const MODES = ['NonIndexed', 'Indexed'];

const validateMode = (path: string, spec: JsonObject): readonly FieldError[] => {
  const mode = asString(spec.completionMode);
  const errors: FieldError[] = [];
  if (mode !== '' && !MODES.includes(mode)) errors.push(field.notSupported(`${path}.completionMode`, mode, MODES));
  if (mode === 'Indexed') {
    if (spec.completions === undefined) {
      errors.push(field.required(`${path}.completions`, 'when completion mode is Indexed'));
    }
    if (asNumber(spec.parallelism) > 100_000) {
      const words = 'must be less than or equal to 100000 when completion mode is Indexed';
      errors.push(field.invalid(`${path}.parallelism`, spec.parallelism, words));
    }
    return errors;
  }
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy']) {
    if (spec[name] === undefined) continue;
    errors.push(field.invalid(`${path}.${name}`, spec[name], 'requires indexed completion mode'));
  }
  return errors;
};

const validateRestart = (path: string, spec: JsonObject): readonly FieldError[] => {
  const policy = asString(asObject(asObject(spec.template).spec).restartPolicy);
  const at = `${path}.template.spec.restartPolicy`;
  if (policy === 'Always' || policy === '') return [field.required(at, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [field.notSupported(at, policy, ['OnFailure', 'Never'])];
  return spec.podFailurePolicy !== undefined && policy !== 'Never'
    ? [field.invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
};

const validateSpec = (path: string, spec: JsonObject): readonly FieldError[] => [
  ...COUNTS.flatMap((name) => nonNegative(`${path}.${name}`, spec[name])),
  ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
    ? [field.required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
    : []),
  ...validateManager(`${path}.managedBy`, spec.managedBy),
  ...validateMode(path, spec),
  ...validatePodTemplate(`${path}.template`, asObject(spec.template)),
  ...validateRestart(path, spec),
];

const UID_LABEL = 'batch.kubernetes.io/controller-uid';

/** The selector that the API gave the job must be the whole one, unless the job brought its own. */
const validateGenerated = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  const uid = asString(asObject(object.metadata).uid);
  if (spec.manualSelector === true || uid === '') return [];
  const labels = labelsOf(asObject(spec.template));
  const own = labels[UID_LABEL];
  const path = 'spec.template.metadata.labels';
  if (own !== undefined && own !== uid) return [field.invalid(path, labels, `must be '${uid}'`)];
  const expected = { matchLabels: { [UID_LABEL]: uid } };
  const legacy = { matchLabels: { 'controller-uid': uid } };
  const selector = asObject(spec.selector);
  if (spec.selector === undefined || jsonEqual(selector, expected) || jsonEqual(selector, legacy)) return [];
  return [field.invalid('spec.selector', shownSelector(selector), '`selector` not auto-generated')];
};

const validateSelector = (spec: JsonObject): readonly FieldError[] => {
  const words = { emptyFor: '', unusable: undefined, required: true };
  const { errors, usable } = validateWorkloadSelector(spec, words);
  return [...errors, ...(usable ? validateTemplateLabels('spec.template', spec, false) : [])];
};

const validateJob = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  const name = asString(asObject(object.metadata).name);
  const completions = asNumber(spec.completions);
  const last = `${name}-${completions - 1}`;
  const badHost = spec.completionMode === 'Indexed' && completions > 0 && dns1123Label(last).length > 0;
  return [
    ...validateGenerated(object),
    ...validateSpec('spec', spec),
    ...validateSelector(spec),
    ...(badHost
      ? [field.invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${last}`)]
      : []),
  ];
};

const FIXED = ['podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'];

const validateCompletions = (spec: JsonObject, old: JsonObject): readonly FieldError[] => {
  const path = 'spec.completions';
  if (spec.completionMode !== 'Indexed') return immutable(path, spec.completions, old.completions);
  if (spec.completions === undefined || spec.completions === old.completions) return [];
  if (spec.completions === spec.parallelism) return [];
  return [field.invalid(path, spec.completions, 'can only be modified in tandem with spec.parallelism')];
};

/** Parts of the template's pod spec that a suspended job may still change. */
const schedulingPart = (spec: JsonObject): JsonObject => {
  const template = asObject(spec.template);
  const pod = asObject(template.spec);
  const { nodeSelector: _n, tolerations: _t, schedulingGates: _s, affinity, ...rest } = pod;
  const { nodeAffinity: _a, ...others } = asObject(affinity);
  return { template: { ...template, metadata: {}, spec: { ...rest, affinity: others } } };
};

const validateTemplateUpdate = (object: JsonObject, old: JsonObject): readonly FieldError[] => {
  const [spec, before] = [asObject(object.spec), asObject(old.spec)];
  const paused = before.suspend === true && asObject(old.status).startTime === undefined;
  const same = paused
    ? jsonEqual(schedulingPart(spec), schedulingPart(before))
    : jsonEqual(asObject(spec.template), asObject(before.template));
  return same ? [] : [field.invalid('spec.template', asObject(spec.template), 'field is immutable')];
};

export const job: Particulars = {
  create: validateJob,
  update: (object, old) => {
    const [spec, before] = [asObject(object.spec), asObject(old.spec)];
    return [
      ...validateSpec('spec', spec),
      ...validateSelector(spec),
      ...validateCompletions(spec, before),
      ...immutable('spec.selector', spec.selector, before.selector),
      ...validateTemplateUpdate(object, old),
      ...immutable('spec.completionMode', spec.completionMode, before.completionMode),
      ...FIXED.flatMap((name) => immutable(`spec.${name}`, spec[name], before[name])),
    ];
  },
  warnings: (object) => {
    const name = asString(asObject(object.metadata).name);
    const complaints = dns1123Label(name);
    const long =
      complaints.length === 0
        ? []
        : [
            `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(' ')}]`,
          ];
    return [...long, ...podWarnings('spec.template', asObject(asObject(object.spec).template))];
  },
};

const validateSchedule = (spec: JsonObject): readonly FieldError[] => {
  const path = 'spec.schedule';
  const schedule = asString(spec.schedule);
  if (schedule === '') return [field.required(path)];
  const errors: FieldError[] = [];
  try {
    parseCron(schedule);
  } catch (error) {
    if (!(error instanceof CronSyntaxError)) throw error;
    errors.push(field.invalid(path, schedule, error.message));
  }
  if (schedule.includes('TZ')) {
    errors.push(field.invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  }
  return errors;
};

const validateZone = (zone: Json | undefined): readonly FieldError[] => {
  const path = 'spec.timeZone';
  if (zone === undefined) return [];
  const name = asString(zone);
  if (name === '') return [field.invalid(path, name, 'timeZone must be nil or non-empty string')];
  if (name.toLowerCase() === 'local') {
    const words = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [field.invalid(path, name, words)];
  }
  try {
    timeZone(name);
    return [];
  } catch (error) {
    if (!(error instanceof UnknownTimeZoneError)) throw error;
    return [field.invalid(path, name, `unknown time zone ${name}`)];
  }
};

const validateCronJob = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  const path = 'spec.jobTemplate.spec';
  const inner = asObject(asObject(spec.jobTemplate).spec);
  return [
    ...validateSchedule(spec),
    ...nonNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds),
    ...oneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']),
    ...validateSpec(path, inner),
    ...(inner.selector === undefined
      ? []
      : [field.invalid(`${path}.selector`, shownSelector(inner.selector), '`selector` will be auto-generated')]),
    ...(inner.manualSelector === true ? [field.notSupported(`${path}.manualSelector`, true, ['nil', 'false'])] : []),
    ...nonNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit),
    ...nonNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit),
    ...validateZone(spec.timeZone),
  ];
};

export const cronJob: Particulars = {
  // Eleven characters are left for the time that is appended to the names of jobs.
  name: (name) => [...dns1123Subdomain(name), ...(name.length > 52 ? [tooManyCharacters(52)] : [])],
  create: validateCronJob,
  warnings: (object) => {
    const template = asObject(asObject(asObject(asObject(object.spec).jobTemplate).spec).template);
    return podWarnings('spec.jobTemplate.spec.template', template);
  },
};
