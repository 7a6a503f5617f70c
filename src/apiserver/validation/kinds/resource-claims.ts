import { asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { dns1123Label, dns1123Subdomain } from '../names.ts';
import { immutable } from '../object-meta.ts';
import type { Particulars } from './kind-rules.ts';

/** ResourceClaims, as far as requests go by device classes (pkg/apis/resource/validation). */

const validateClass = (path: string, request: JsonObject): readonly FieldError[] => {
  const name = asString(request.deviceClassName);
  if (name === '') return [field.required(path)];
  return dns1123Subdomain(name).map((words) => field.invalid(path, name, words));
};

const validateRequest = (path: string, request: JsonObject): readonly FieldError[] => {
  const name = asString(request.name);
  const named =
    name === ''
      ? [field.required(`${path}.name`)]
      : dns1123Label(name).map((words) => field.invalid(`${path}.name`, name, words));
  const { exactly, firstAvailable } = request;
  const exact = exactly === undefined ? [] : validateClass(`${path}.exactly.deviceClassName`, asObject(exactly));
  const choices = asObjects(firstAvailable).flatMap((choice, at) =>
    validateClass(`${path}.firstAvailable[${at}].deviceClassName`, choice),
  );
  return [...named, ...exact, ...choices];
};

export const resourceClaim: Particulars = {
  create: (object) =>
    asObjects(asObject(asObject(object.spec).devices).requests).flatMap((request, at) =>
      validateRequest(`spec.devices.requests[${at}]`, request),
    ),
  update: (object, old) => immutable('spec', object.spec, old.spec),
};
