import { asArray, asNumber, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { dns1035Label, dns1123Subdomain, pathSegmentName, portNumber } from '../names.ts';
import type { Particulars } from './kind-rules.ts';

/** APIServices (kube-aggregator's apis/apiregistration/validation). */

const STATUSES = ['True', 'False', 'Unknown'];

const nameErrors = (object: JsonObject): readonly FieldError[] => {
  const { group, version } = asObject(object.spec);
  const name = asString(asObject(object.metadata).name);
  const wanted = `${asString(version)}.${asString(group)}`;
  const minimal = pathSegmentName(name);
  const words =
    minimal.length > 0 || name === wanted
      ? minimal
      : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`];
  return name === '' ? [] : words.map((text) => field.invalid('metadata.name', name, text));
};

const inRange = (path: string, value: number, most: number): readonly FieldError[] =>
  value > 0 && value <= most ? [] : [field.invalid(path, value, `must be positive and less than ${most}`)];

const validateTarget = (spec: JsonObject): readonly FieldError[] => {
  const size = Buffer.from(asString(spec.caBundle), 'base64').length;
  const insecure = spec.insecureSkipTLSVerify === true;
  if (spec.service === undefined || spec.service === null) {
    return [
      ...(size > 0
        ? [field.invalid('spec.caBundle', `${size} bytes`, 'local APIServices may not have a caBundle')]
        : []),
      ...(insecure
        ? [field.invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')]
        : []),
    ];
  }
  const service = asObject(spec.service);
  const port = asNumber(service.port);
  const words = portNumber(port);
  return [
    ...(asString(service.namespace) === '' ? [field.required('spec.service.namespace')] : []),
    ...(asString(service.name) === '' ? [field.required('spec.service.name')] : []),
    ...(words.length > 0 ? [field.invalid('spec.service.port', port, `port is not valid: ${words.join(', ')}`)] : []),
    ...(insecure && size > 0
      ? [field.invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ];
};

const validate = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  const [group, version] = [asString(spec.group), asString(spec.version)];
  const legacy = 'only v1 may have an empty group and it better be legacy kube';
  return [
    ...nameErrors(object),
    ...(group === '' && version !== 'v1' ? [field.required('spec.group', legacy)] : []),
    ...(group === '' ? [] : dns1123Subdomain(group).map((words) => field.invalid('spec.group', group, words))),
    ...dns1035Label(version).map((words) => field.invalid('spec.version', version, words)),
    ...inRange('spec.groupPriorityMinimum', asNumber(spec.groupPriorityMinimum), 20_000),
    ...inRange('spec.versionPriority', asNumber(spec.versionPriority), 1000),
    ...validateTarget(spec),
  ];
};

export const apiService: Particulars = {
  name: () => [],
  create: validate,
  status: ({ status }) =>
    asObjects(asArray(asObject(status).conditions)).flatMap((condition, at) =>
      STATUSES.includes(asString(condition.status))
        ? []
        : [field.notSupported(`status.conditions[${at}].status`, condition.status, STATUSES)],
    ),
};
