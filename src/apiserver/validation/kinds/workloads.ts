import { jsonEqual } from '../../../kube/json-equal.ts';
import { asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { goJson } from '../go-text.ts';
import { dns1123Label } from '../names.ts';
import { atMostAll, countOrPercent, isZero, nonNegative, oneOfIfSet } from '../numbers.ts';
import { immutable } from '../object-meta.ts';
import {
  shownSelector,
  validateEndless,
  validatePodTemplate,
  validateTemplateLabels,
  validateWorkloadSelector,
} from '../pods/pod-template.ts';
import { podWarnings } from '../pods/pod-warnings.ts';
import type { Particulars } from './kind-rules.ts';
import { DAEMON_SET, DEPLOYMENT, REPLICA_SET, STATEFUL_SET, validateCounts } from './statuses.ts';

/** apps/v1 (pkg/apis/apps/validation). */

const templateOf = (object: JsonObject): JsonObject => asObject(asObject(object.spec).template);

const templateWarnings = (object: JsonObject): readonly string[] => podWarnings('spec.template', templateOf(object));

const keptSelector = (object: JsonObject, old: JsonObject): readonly FieldError[] => {
  const [selector, before] = [asObject(object.spec).selector, asObject(old.spec).selector];
  if (jsonEqual(selector ?? null, before ?? null)) return [];
  return [field.invalid('spec.selector', shownSelector(selector), 'field is immutable')];
};

const replicaTemplate = (spec: JsonObject): readonly FieldError[] => {
  const path = 'spec.template';
  const template = asObject(spec.template);
  return [
    ...validateTemplateLabels(path, spec, true),
    ...validatePodTemplate(path, template),
    ...validateEndless(path, template, 'ReplicaSet'),
  ];
};

const replicaSelector = (spec: JsonObject): readonly FieldError[] => {
  const words = { emptyFor: 'deployment', unusable: 'invalid label selector', required: true };
  const { errors, usable } = validateWorkloadSelector(spec, words);
  return [...errors, ...(usable ? replicaTemplate(spec) : [])];
};

/** A strategy as its internal type prints it. */
const shownStrategy = (strategy: JsonObject): field.Verbatim =>
  new field.Verbatim(`{"Type":${goJson(strategy.type ?? '')},"RollingUpdate":${goJson(strategy.rollingUpdate)}}`);

const deploymentStrategy = (strategy: JsonObject): readonly FieldError[] => {
  const path = 'spec.strategy';
  const rollingPath = `${path}.rollingUpdate`;
  if (strategy.type === 'Recreate') {
    const words = "may not be specified when strategy `type` is 'Recreate'";
    return strategy.rollingUpdate === undefined ? [] : [field.forbidden(rollingPath, words)];
  }
  if (strategy.type !== 'RollingUpdate') {
    return [field.notSupported(path, shownStrategy(strategy), ['Recreate', 'RollingUpdate'])];
  }
  const { maxUnavailable, maxSurge } = asObject(strategy.rollingUpdate);
  const unavailable = `${rollingPath}.maxUnavailable`;
  return [
    ...countOrPercent(unavailable, maxUnavailable),
    ...countOrPercent(`${rollingPath}.maxSurge`, maxSurge),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [field.invalid(unavailable, maxUnavailable ?? 0, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...atMostAll(unavailable, maxUnavailable),
  ];
};

const validateDeployment = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  const { progressDeadlineSeconds: deadline, minReadySeconds: ready } = spec;
  const late = typeof deadline === 'number' && deadline <= (typeof ready === 'number' ? ready : 0);
  return [
    ...nonNegative('spec.replicas', spec.replicas),
    ...replicaSelector(spec),
    ...deploymentStrategy(asObject(spec.strategy)),
    ...nonNegative('spec.minReadySeconds', ready),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...nonNegative('spec.progressDeadlineSeconds', deadline),
    ...(late ? [field.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')] : []),
  ];
};

export const deployment: Particulars = {
  create: validateDeployment,
  update: (object, old) => [...validateDeployment(object), ...keptSelector(object, old)],
  status: validateCounts(DEPLOYMENT),
  warnings: templateWarnings,
};

const validateReplicaSet = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  return [
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...replicaSelector(spec),
  ];
};

export const replicaSet: Particulars = {
  create: validateReplicaSet,
  update: (object, old) => [...validateReplicaSet(object), ...keptSelector(object, old)],
  status: validateCounts(REPLICA_SET),
  warnings: templateWarnings,
};

const daemonStrategy = (strategy: JsonObject): readonly FieldError[] => {
  const path = 'spec.updateStrategy';
  if (strategy.type === 'OnDelete') return [];
  if (strategy.type !== 'RollingUpdate') {
    return [field.notSupported(path, shownStrategy(strategy), ['RollingUpdate', 'OnDelete'])];
  }
  const rolling = `${path}.rollingUpdate`;
  if (strategy.rollingUpdate === undefined) return [field.required(rolling)];
  const { maxUnavailable, maxSurge } = asObject(strategy.rollingUpdate);
  const errors = [
    ...countOrPercent(`${rolling}.maxUnavailable`, maxUnavailable),
    ...countOrPercent(`${rolling}.maxSurge`, maxSurge),
  ];
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.push(field.required(`${rolling}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  } else if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    const words = 'may not be set when maxUnavailable is non-zero';
    errors.push(field.invalid(`${rolling}.maxSurge`, maxSurge, words));
  }
  return [
    ...errors,
    ...atMostAll(`${rolling}.maxUnavailable`, maxUnavailable),
    ...atMostAll(`${rolling}.maxSurge`, maxSurge),
  ];
};

const validateDaemonSet = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  const words = { emptyFor: '', unusable: undefined, required: false };
  const { errors, usable } = validateWorkloadSelector(spec, words);
  const template = asObject(spec.template);
  const selector = asObject(spec.selector);
  const empty =
    spec.selector !== undefined &&
    spec.selector !== null &&
    selector.matchLabels === undefined &&
    selector.matchExpressions === undefined
      ? [field.invalid('spec.selector', shownSelector(selector), 'empty selector is invalid for daemonset')]
      : [];
  return [
    ...errors,
    ...(usable ? validateTemplateLabels('spec.template', spec, false) : []),
    ...empty,
    ...validatePodTemplate('spec.template', template),
    ...validateEndless('spec.template', template, 'DaemonSet'),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...daemonStrategy(asObject(spec.updateStrategy)),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
  ];
};

export const daemonSet: Particulars = {
  create: validateDaemonSet,
  update: (object, old) => [...validateDaemonSet(object), ...keptSelector(object, old)],
  status: validateCounts(DAEMON_SET),
  warnings: templateWarnings,
};

const statefulStrategy = (strategy: JsonObject): readonly FieldError[] => {
  const path = 'spec.updateStrategy';
  const rolling = `${path}.rollingUpdate`;
  const given = asObject(strategy.rollingUpdate);
  if (strategy.type === 'OnDelete') {
    const words = "only allowed for updateStrategy 'RollingUpdate'";
    return strategy.rollingUpdate === undefined ? [] : [field.invalid(rolling, given, words)];
  }
  if (strategy.type !== 'RollingUpdate') {
    return [field.invalid(path, shownStrategy(strategy), "must be 'RollingUpdate' or 'OnDelete'")];
  }
  const { maxUnavailable } = given;
  const at = `${rolling}.maxUnavailable`;
  const counted =
    maxUnavailable === undefined
      ? []
      : [
          ...countOrPercent(at, maxUnavailable),
          ...(isZero(maxUnavailable) ? [field.invalid(at, maxUnavailable, 'cannot be 0')] : []),
          ...atMostAll(at, maxUnavailable),
        ];
  return [...nonNegative(`${rolling}.partition`, given.partition), ...counted];
};

/** The template with the volumes that its claims will stand for. */
const withClaims = (spec: JsonObject): JsonObject => {
  const claims = asObjects(spec.volumeClaimTemplates);
  const template = asObject(spec.template);
  if (claims.length === 0) return template;
  const names = claims.map((claim) => asString(asObject(claim.metadata).name));
  const added = [...new Set(names)].map((name): JsonObject => ({ name, persistentVolumeClaim: { claimName: name } }));
  const own = asObjects(asObject(template.spec).volumes).filter(({ name }) => !names.includes(asString(name)));
  return { ...template, spec: { ...asObject(template.spec), volumes: [...added, ...own] } };
};

const retention = (policy: JsonObject): readonly FieldError[] =>
  ['whenDeleted', 'whenScaled'].flatMap((name) =>
    oneOfIfSet(`spec.persistentVolumeClaimRetentionPolicy.${name}`, policy[name], ['Retain', 'Delete']),
  );

const statefulTemplate = (spec: JsonObject): readonly FieldError[] => {
  const complete = { ...spec, template: withClaims(spec) };
  return [
    ...validateTemplateLabels('spec.template', complete, true),
    ...validatePodTemplate('spec.template', complete.template),
  ];
};

const validateStatefulSet = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  const policy = asString(spec.podManagementPolicy);
  const known = policy === 'OrderedReady' || policy === 'Parallel';
  const policyPath = 'spec.podManagementPolicy';
  const { errors, usable } = validateWorkloadSelector(spec, { emptyFor: 'statefulset', unusable: '', required: true });
  const service = asString(spec.serviceName);
  return [
    ...(policy === '' ? [field.required(policyPath)] : []),
    ...(known || policy === '' ? [] : [field.invalid(policyPath, policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...statefulStrategy(asObject(spec.updateStrategy)),
    ...retention(asObject(spec.persistentVolumeClaimRetentionPolicy)),
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.ordinals.start', asObject(spec.ordinals).start),
    ...(service === '' ? [] : dns1123Label(service).map((words) => field.invalid('spec.serviceName', service, words))),
    ...errors,
    ...(usable ? statefulTemplate(spec) : []),
    ...validateEndless('spec.template', asObject(spec.template), 'StatefulSet'),
  ];
};

const MUTABLE = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
];

const STATEFUL_FORBIDDEN =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

const fixedPart = (object: JsonObject): Json =>
  Object.fromEntries(Object.entries(asObject(object.spec)).filter(([name]) => !MUTABLE.includes(name)));

export const statefulSet: Particulars = {
  name: (name) => dns1123Label(name),
  create: validateStatefulSet,
  update: (object, old) => [
    ...validateStatefulSet(object),
    ...(jsonEqual(fixedPart(object), fixedPart(old)) ? [] : [field.forbidden('spec', STATEFUL_FORBIDDEN)]),
  ],
  status: validateCounts(STATEFUL_SET),
  warnings: templateWarnings,
};

const validateController = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  const selector = asObject(spec.selector);
  const template = asObject(spec.template);
  const selecting = { ...spec, selector: { matchLabels: selector } };
  return [
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...(Object.keys(selector).length === 0 ? [field.required('spec.selector')] : []),
    ...nonNegative('spec.replicas', spec.replicas),
    ...validateTemplateLabels('spec.template', selecting, true),
    ...validatePodTemplate('spec.template', template),
    ...validateEndless('spec.template', template, 'ReplicationController'),
  ];
};

export const replicationController: Particulars = { create: validateController, warnings: templateWarnings };

export const podTemplate: Particulars = {
  create: (object) => validatePodTemplate('template', asObject(object.template)),
};

export const controllerRevision: Particulars = {
  update: (object, old) => immutable('data', object.data, old.data),
};
