import { jsonEqual } from '../../../kube/json-equal.ts';
import { asArray, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import { isSixNetwork, validateNetwork } from '../addresses.ts';
import * as field from '../field-error.ts';
import { goJson } from '../go-text.ts';
import { labelValue, qualifiedName } from '../names.ts';
import { validateEffect } from '../pods/scheduling.ts';
import { validateAmount } from '../resource-names.ts';
import type { Particulars } from './kind-rules.ts';

/** A taint as its internal type prints it. */
const shownTaint = (taint: JsonObject): field.Verbatim => {
  const { key, value, effect, timeAdded } = taint;
  const texts = [key, value, effect].map((part) => goJson(part ?? ''));
  return new field.Verbatim(
    `{"Key":${texts[0]},"Value":${texts[1]},"Effect":${texts[2]},"TimeAdded":${goJson(timeAdded ?? null)}}`,
  );
};

const validateTaints = (path: string, taints: readonly JsonObject[]): readonly FieldError[] => {
  const seen = new Set<string>();
  return taints.flatMap((taint, position) => {
    const at = field.index(path, position);
    const [key, value] = [asString(taint.key), asString(taint.value)];
    const errors = qualifiedName(key).map((words) => field.invalid(field.child(at, 'key'), key, words));
    const complaints = labelValue(value);
    if (complaints.length > 0) errors.push(field.invalid(field.child(at, 'value'), value, complaints.join(';')));
    errors.push(...validateEffect(field.child(at, 'effect'), taint.effect, false));
    const pair = `${asString(taint.effect)} ${key}`;
    if (seen.has(pair)) {
      const repeated = field.duplicate(at, shownTaint(taint));
      errors.push({ ...repeated, message: `${repeated.message}: taints must be unique by key and effect pair` });
    }
    seen.add(pair);
    return errors;
  });
};

const validateAmounts = (object: JsonObject): readonly FieldError[] => {
  const status = asObject(object.status);
  return ['capacity', 'allocatable'].flatMap((part) =>
    Object.entries(asObject(status[part])).flatMap(([name, amount]) =>
      validateAmount(`status.${part}.${name}`, name, amount),
    ),
  );
};

const validateNetworks = (spec: JsonObject): readonly FieldError[] => {
  const path = 'spec.podCIDRs';
  const networks = asArray(spec.podCIDRs).map(asString);
  const errors = networks.flatMap((network, at) => validateNetwork(field.index(path, at), network));
  if (networks.length > 1) {
    const dual = networks.some(isSixNetwork) && !networks.every(isSixNetwork);
    if (!dual || networks.length > 2) {
      errors.push(field.invalid(path, networks, 'may specify no more than one CIDR for each IP family'));
    }
  }
  return errors;
};

const onlyOnce = (path: string, name: string): FieldError =>
  field.forbidden(path, `node updates may not change ${name} except from "" to valid`);

const validateFixed = (spec: JsonObject, old: JsonObject): readonly FieldError[] => {
  const [networks, before] = [asArray(spec.podCIDRs), asArray(old.podCIDRs)];
  const errors: FieldError[] = [];
  if (before.length > 0 && before.length !== networks.length) errors.push(onlyOnce('spec.podCIDRs', 'podCIDR'));
  else {
    for (const [at, network] of before.entries()) {
      if (network !== networks[at]) errors.push(onlyOnce('spec.podCIDRs', 'podCIDR'));
    }
  }
  if (asString(old.providerID) !== '' && old.providerID !== spec.providerID) {
    errors.push(onlyOnce('spec.providerID', 'providerID'));
  }
  return errors;
};

const validateAddresses = (object: JsonObject): readonly FieldError[] => {
  const addresses = asObjects(asObject(object.status).addresses);
  return addresses.flatMap((address, at) =>
    addresses.slice(0, at).some((other) => jsonEqual(other, address))
      ? [
          field.duplicate(
            `status.addresses[${at}]`,
            new field.Verbatim(`{"Type":${goJson(address.type ?? '')},"Address":${goJson(address.address ?? '')}}`),
          ),
        ]
      : [],
  );
};

const taintsOf = (object: JsonObject): readonly JsonObject[] => asObjects(asObject(object.spec).taints);

const validateUpdate = (object: JsonObject, old: JsonObject): readonly FieldError[] => [
  ...validateAmounts(object),
  ...validateAddresses(object),
  ...validateFixed(asObject(object.spec), asObject(old.spec)),
  ...validateTaints('metadata.taints', taintsOf(object)),
];

const validateNew = (object: JsonObject): readonly FieldError[] => [
  ...validateTaints('metadata.taints', taintsOf(object)),
  ...validateAmounts(object),
  ...validateNetworks(asObject(object.spec)),
];

export const node: Particulars = {
  create: validateNew,
  // An update is held to what a new node is held to as well, and what both say is said twice.
  update: (object, old) => [...validateNew(object), ...validateUpdate(object, old)],
  status: validateUpdate,
};
