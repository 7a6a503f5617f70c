import { jsonEqual } from '../../../kube/json-equal.ts';
import { asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import { qosClass } from '../../registry/initial-status.ts';
import { validateAddress } from '../addresses.ts';
import * as field from '../field-error.ts';
import { dns1123Subdomain } from '../names.ts';
import { validatePodSpec } from './pod-spec.ts';

/** Writes of a pod's status, its ephemeral containers and its size. */

const validateAddresses = (pod: JsonObject): readonly FieldError[] => {
  const status = asObject(pod.status);
  return ['podIPs', 'hostIPs'].flatMap((name) =>
    asObjects(status[name]).flatMap(({ ip }, at) => validateAddress(`status.${name}[${at}]`, asString(ip))),
  );
};

export const validatePodStatus = (pod: JsonObject, previous: JsonObject): readonly FieldError[] => {
  const [status, before] = [asObject(pod.status), asObject(previous.status)];
  const nominated = asString(status.nominatedNodeName);
  const errors: FieldError[] = [];
  if (asString(asObject(pod.spec).nodeName) !== asString(asObject(previous.spec).nodeName)) {
    errors.push(field.forbidden('status.nodeName', 'may not be changed directly'));
  }
  if (nominated !== '' && nominated !== before.nominatedNodeName) {
    const at = 'status.nominatedNodeName';
    errors.push(...dns1123Subdomain(nominated).map((words) => field.invalid(at, nominated, words)));
    if (asString(asObject(previous.spec).nodeName) !== '') {
      errors.push(field.forbidden(at, 'may not be set on pods that are already bound to a node'));
    }
  }
  const [next, now] = [status.qosClass, before.qosClass];
  if (next !== undefined && now !== undefined && next !== now) {
    errors.push(field.invalid('status.qosClass', next, 'field is immutable'));
  }
  return [...errors, ...validateAddresses(pod)];
};

const UNFIT = ['lifecycle', 'livenessProbe', 'ports', 'readinessProbe', 'startupProbe'];

const validateEphemeral = (pod: JsonObject): readonly FieldError[] => {
  const spec = asObject(pod.spec);
  const others = [...asObjects(spec.containers), ...asObjects(spec.initContainers)].map(({ name }) => asString(name));
  const names = new Set(others);
  return asObjects(spec.ephemeralContainers).flatMap((container, at) => {
    const path = `spec.ephemeralContainers[${at}]`;
    const [name, target] = [asString(container.name), asString(container.targetContainerName)];
    const errors = name === '' ? [field.required(`${path}.name`)] : [];
    if (asString(container.image) === '') errors.push(field.required(`${path}.image`));
    if (names.has(name)) errors.push(field.duplicate(`${path}.name`, name));
    names.add(name);
    if (target !== '' && !others.includes(target)) errors.push(field.notFound(`${path}.targetContainerName`, target));
    const words = 'cannot be set for an Ephemeral Container';
    for (const part of UNFIT) if (container[part] !== undefined) errors.push(field.forbidden(`${path}.${part}`, words));
    return errors;
  });
};

export const validateEphemeralContainers = (pod: JsonObject, previous: JsonObject): readonly FieldError[] => {
  const [next, before] = [pod, previous].map((from) => asObjects(asObject(from.spec).ephemeralContainers));
  const kept = (before ?? []).flatMap((old) => {
    const now = (next ?? []).find(({ name }) => name === old.name);
    const words = `existing ephemeral containers "${asString(old.name)}" may not be`;
    if (now === undefined) return [field.forbidden('spec.ephemeralContainers', `${words} removed\n`)];
    return jsonEqual(now, old) ? [] : [field.forbidden('spec.ephemeralContainers', `${words} changed\n`)];
  });
  return [...validatePodSpec('spec', asObject(pod.spec)), ...validateEphemeral(pod), ...kept];
};

export const validateResize = (pod: JsonObject, previous: JsonObject): readonly FieldError[] => {
  const before = asString(asObject(previous.status).qosClass) || qosClass(previous);
  const errors = [...validatePodSpec('spec', asObject(pod.spec))];
  return qosClass(pod) === before
    ? errors
    : [...errors, field.invalid('spec', before, 'Pod QOS Class may not change as a result of resizing')];
};
