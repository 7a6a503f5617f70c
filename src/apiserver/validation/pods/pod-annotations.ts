import { asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

const isInt32 = (text: string): boolean =>
  text === '0' || (/^-?[1-9][0-9]*$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31);

/** Annotations of pods that mean something to Kubernetes itself. */
export const validatePodAnnotations = (
  path: string,
  annotations: JsonObject,
  spec: JsonObject,
): readonly FieldError[] => {
  const errors: FieldError[] = [];
  const mirror = annotations[MIRROR];
  if (mirror !== undefined && asString(spec.nodeName) === '') {
    errors.push(
      field.invalid(field.key(path, MIRROR), mirror, 'must set spec.nodeName if mirror pod annotation is set'),
    );
  }
  const cost = annotations[DELETION_COST];
  if (cost !== undefined && !isInt32(asString(cost))) {
    errors.push(field.invalid(field.key(path, DELETION_COST), cost, 'must be a 32bit integer'));
  }
  return errors;
};
