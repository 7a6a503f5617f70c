import { asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import {
  allowsOvercommit,
  differs,
  exceeds,
  isHugePages,
  printQuantity,
  validateAmount,
  validateContainerResourceName,
} from '../resource-names.ts';

/** Requests and limits of a container, and the claims it uses. */
export const validateResources = (
  path: string,
  resources: JsonObject,
  claims: ReadonlySet<string>,
): readonly FieldError[] => {
  const [limits, requests] = [asObject(resources.limits), asObject(resources.requests)];
  const [limitsPath, requestsPath] = [field.child(path, 'limits'), field.child(path, 'requests')];
  const errors: FieldError[] = [];
  for (const [name, amount] of Object.entries(limits)) {
    const at = field.key(limitsPath, name);
    errors.push(...validateContainerResourceName(at, name), ...validateAmount(at, name, amount));
  }
  for (const [name, amount] of Object.entries(requests)) {
    const at = field.key(requestsPath, name);
    errors.push(...validateContainerResourceName(at, name), ...validateAmount(at, name, amount));
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    const shown = printQuantity(amount);
    if (limit === undefined) {
      if (allowsOvercommit(name)) continue;
      errors.push(field.required(limitsPath, 'Limit must be set for non overcommitable resources'));
    } else if (differs(amount, limit) && !allowsOvercommit(name)) {
      errors.push(field.invalid(requestsPath, shown, `must be equal to ${name} limit of ${printQuantity(limit)}`));
    } else if (exceeds(amount, limit)) {
      const words = `must be less than or equal to ${name} limit of ${printQuantity(limit)}`;
      errors.push(field.invalid(requestsPath, shown, words));
    }
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    errors.push(field.forbidden(path, 'HugePages require cpu or memory'));
  }
  return [...errors, ...validateClaimNames(field.child(path, 'claims'), resources, claims)];
};

const validateClaimNames = (path: string, resources: JsonObject, known: ReadonlySet<string>): readonly FieldError[] => {
  const seen = new Set<string>();
  return asObjects(resources.claims).flatMap((claim, position) => {
    const at = field.index(path, position);
    const name = asString(claim.name);
    if (name === '') return [field.required(field.child(at, 'name'))];
    const id = `${name}/${asString(claim.request)}`;
    if (seen.has(id)) return [field.duplicate(at, name)];
    seen.add(id);
    if (known.has(name)) return [];
    const empty = known.size === 0 ? ' which is empty' : '';
    const missing = field.notFound(at, name);
    const words = `must be one of the names in pod.spec.resourceClaims${empty}`;
    return [{ ...missing, message: `${missing.message}: ${words}` }];
  });
};
