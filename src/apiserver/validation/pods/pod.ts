import { jsonEqual } from '../../../kube/json-equal.ts';
import { asArray, asNumber, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import { differenceText } from '../difference-text.ts';
import * as field from '../field-error.ts';
import { rangeWords } from '../names.ts';
import { validatePodAnnotations } from './pod-annotations.ts';
import { validatePodSpec } from './pod-spec.ts';
import { validateTolerations } from './scheduling.ts';

/** Pods (core ValidatePodCreate and ValidatePodUpdate); metadata is validated elsewhere. */

const validateSpec = (pod: JsonObject): readonly FieldError[] => [
  ...validatePodAnnotations('metadata.annotations', asObject(asObject(pod.metadata).annotations), asObject(pod.spec)),
  ...validatePodSpec('spec', asObject(pod.spec)),
];

const untrimmedImages = (pod: JsonObject): readonly FieldError[] =>
  ['containers', 'initContainers'].flatMap((kind) =>
    asObjects(asObject(pod.spec)[kind]).flatMap((container, at) => {
      const image = asString(container.image);
      const path = `spec.${kind}[${at}].image`;
      const words = 'must not have leading or trailing whitespace';
      return image.trim() === image ? [] : [field.invalid(path, image, words)];
    }),
  );

export const validatePod = (pod: JsonObject): readonly FieldError[] => {
  const spec = asObject(pod.spec);
  const errors = [...validateSpec(pod), ...untrimmedImages(pod)];
  if (asArray(spec.ephemeralContainers).length > 0) {
    errors.push(field.forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if (asString(spec.nodeName) !== '' && asArray(spec.schedulingGates).length > 0) {
    errors.push(field.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return errors;
};

const UPDATABLE =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

const validateDeadline = (spec: JsonObject, old: JsonObject): readonly FieldError[] => {
  const [next, before] = [spec.activeDeadlineSeconds, old.activeDeadlineSeconds];
  const path = 'spec.activeDeadlineSeconds';
  if (next === undefined) {
    return before === undefined
      ? []
      : [field.invalid(path, null, 'must not update from a positive integer to nil value')];
  }
  const value = asNumber(next);
  if (value < 0 || value > 2 ** 31 - 1) return [field.invalid(path, value, rangeWords(0, 2 ** 31 - 1))];
  return before !== undefined && asNumber(before) < value
    ? [field.invalid(path, value, 'must be less than or equal to previous value')]
    : [];
};

const validateAddedTolerations = (spec: JsonObject, old: JsonObject): readonly FieldError[] => {
  const next = asObjects(spec.tolerations);
  const bare = ({ tolerationSeconds: _, ...rest }: JsonObject): JsonObject => rest;
  const kept = asObjects(old.tolerations).every((before) => next.some((now) => jsonEqual(bare(now), bare(before))));
  const words = 'existing toleration can not be modified except its tolerationSeconds';
  return kept ? validateTolerations('spec.tolerations', next) : [field.forbidden('spec.tolerations', words)];
};

const validateGates = (spec: JsonObject, old: JsonObject): readonly FieldError[] => {
  const known = new Set(asObjects(old.schedulingGates).map(({ name }) => asString(name)));
  return asObjects(spec.schedulingGates).flatMap(({ name }, at) =>
    known.has(asString(name))
      ? []
      : [
          field.forbidden(
            `spec.schedulingGates[${at}].name`,
            `only deletion is allowed, but found new scheduling gate '${asString(name)}'`,
          ),
        ],
  );
};

/** The new spec with everything that may change put back, so that a difference to the old one is forbidden. */
const munge = (spec: JsonObject, old: JsonObject): JsonObject => {
  const withImages = (kind: string): readonly JsonObject[] | undefined => {
    if (spec[kind] === undefined) return undefined;
    const before = asObjects(old[kind]);
    return asObjects(spec[kind]).map((container, at) => ({ ...container, image: before[at]?.image }));
  };
  const munged: Record<string, JsonObject[string]> = { ...spec };
  for (const kind of ['containers', 'initContainers']) munged[kind] = withImages(kind);
  for (const name of ['activeDeadlineSeconds', 'schedulingGates', 'tolerations']) munged[name] = old[name];
  if (asNumber(old.terminationGracePeriodSeconds) < 0 && spec.terminationGracePeriodSeconds === 1) {
    munged.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  }
  if (asArray(old.schedulingGates).length > 0) {
    munged.nodeSelector = old.nodeSelector;
    const affinity = { ...asObject(spec.affinity), nodeAffinity: asObject(old.affinity).nodeAffinity };
    munged.affinity = Object.values(affinity).some((part) => part !== undefined) ? affinity : old.affinity;
  }
  return munged;
};

export const validatePodUpdate = (pod: JsonObject, previous: JsonObject): readonly FieldError[] => {
  const [spec, old] = [asObject(pod.spec), asObject(previous.spec)];
  const errors = [...validateSpec(pod)];
  for (const kind of ['containers', 'initContainers']) {
    if (asArray(spec[kind]).length === asArray(old[kind]).length) continue;
    return [...errors, field.forbidden(`spec.${kind}`, 'pod updates may not add or remove containers')];
  }
  errors.push(...untrimmedImages(pod));
  const deadline = validateDeadline(spec, old);
  errors.push(...deadline);
  if (deadline.length > 0 && spec.activeDeadlineSeconds !== undefined) return errors;
  errors.push(...validateAddedTolerations(spec, old), ...validateGates(spec, old));
  const munged = munge(spec, old);
  if (jsonEqual(munged, old)) return errors;
  const words = `pod updates may not change fields other than ${UPDATABLE}\n${differenceText(old, munged)}`;
  return [...errors, field.forbidden('spec', words)];
};
