import { labelMatcher, SelectorError } from '../../../kube/selectors.ts';
import { asArray, asObject, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { goJson } from '../go-text.ts';
import { validateAnnotations, validateLabels } from '../object-meta.ts';
import { validateLabelSelector } from '../selectors.ts';
import { validatePodAnnotations } from './pod-annotations.ts';
import { validatePodSpec } from './pod-spec.ts';

export const labelsOf = (template: JsonObject): JsonObject => asObject(asObject(template.metadata).labels);

/** A pod template on its own (core ValidatePodTemplateSpec). */
export const validatePodTemplate = (path: string, template: JsonObject): readonly FieldError[] => {
  const meta = asObject(template.metadata);
  const spec = asObject(template.spec);
  const ephemeral = asArray(spec.ephemeralContainers).length > 0;
  return [
    ...validateLabels(meta.labels, field.child(path, 'labels')),
    ...validateAnnotations(meta.annotations, field.child(path, 'annotations')),
    ...validatePodAnnotations(field.child(path, 'annotations'), asObject(meta.annotations), spec),
    ...validatePodSpec(field.child(path, 'spec'), spec),
    ...(ephemeral
      ? [
          field.forbidden(
            field.child(path, 'spec.ephemeralContainers'),
            'ephemeral containers not allowed in pod template',
          ),
        ]
      : []),
  ];
};

/** A selector in the order that its Go type prints. */
export const shownSelector = (selector: Json | undefined): field.Verbatim => {
  const { matchLabels, matchExpressions } = asObject(selector);
  const expressions = asArray(matchExpressions).map((expression) => {
    const { key, operator, values } = asObject(expression);
    const list = values === undefined ? '' : `,"values":${goJson(values)}`;
    return `{"key":${goJson(key)},"operator":${goJson(operator)}${list}}`;
  });
  const parts = [
    ...(matchLabels === undefined ? [] : [`"matchLabels":${goJson(matchLabels)}`]),
    ...(expressions.length === 0 ? [] : [`"matchExpressions":[${expressions.join(',')}]`]),
  ];
  return new field.Verbatim(`{${parts.join(',')}}`);
};

const isEmpty = (selector: JsonObject): boolean =>
  Object.keys(asObject(selector.matchLabels)).length + asArray(selector.matchExpressions).length === 0;

const matcherOf = (selector: JsonObject): ((labels: Record<string, string>) => boolean) | undefined => {
  try {
    return labelMatcher(selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
};

export interface SelectorWords {
  /** Who may not have an empty selector; empty: it may. */
  readonly emptyFor: string;
  /** What is said of a selector that can't be used; undefined: nothing. */
  readonly unusable: string | undefined;
  readonly required: boolean;
}

/** `spec.selector` of a workload. `usable`: whether the template should be looked at. */
export const validateWorkloadSelector = (
  spec: JsonObject,
  words: SelectorWords,
): { readonly errors: readonly FieldError[]; readonly usable: boolean } => {
  const path = 'spec.selector';
  const { selector } = spec;
  if (selector === undefined || selector === null) {
    return { errors: words.required ? [field.required(path)] : [], usable: true };
  }
  const object = asObject(selector);
  const errors = [...validateLabelSelector(path, selector)];
  if (words.emptyFor !== '' && isEmpty(object)) {
    const text = `empty selector is invalid for ${words.emptyFor}`;
    errors.push(field.invalid(path, shownSelector(selector), text));
  }
  const usable = matcherOf(object) !== undefined;
  if (!usable && words.unusable !== undefined) {
    errors.push(field.invalid(path, shownSelector(selector), words.unusable));
  }
  return { errors, usable };
};

const MISMATCH = '`selector` does not match template `labels`';

/** `emptyMatches`: an empty selector is no reason to complain here, since it has been complained about already. */
export const validateTemplateLabels = (
  path: string,
  spec: JsonObject,
  emptyMatches: boolean,
): readonly FieldError[] => {
  const template = asObject(spec.template);
  const selector = spec.selector === undefined || spec.selector === null ? undefined : asObject(spec.selector);
  if (selector !== undefined && emptyMatches && isEmpty(selector)) return [];
  const matches = selector === undefined ? () => false : (matcherOf(selector) ?? (() => true));
  const labels = labelsOf(template);
  if (matches(labels as Record<string, string>)) return [];
  const shown = asObject(template.metadata).labels ?? null;
  return [field.invalid(field.child(path, 'metadata.labels'), shown, MISMATCH)];
};

/** What templates of endless workloads may not ask for; `owner` in the plural of messages. */
export const validateEndless = (path: string, template: JsonObject, owner: string): readonly FieldError[] => {
  const spec = asObject(template.spec);
  const policy = asString(spec.restartPolicy);
  const deadline = `activeDeadlineSeconds in ${owner} is not Supported`;
  return [
    ...(policy === 'Always' ? [] : [field.notSupported(field.child(path, 'spec.restartPolicy'), policy, ['Always'])]),
    ...(spec.activeDeadlineSeconds === undefined
      ? []
      : [field.forbidden(field.child(path, 'spec.activeDeadlineSeconds'), deadline)]),
  ];
};
