import { asNumber, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { patternWords } from '../names.ts';
import { nonNegative, portOrName } from '../numbers.ts';

/** Probes and lifecycle hooks of containers. */

const HEADER = /^[-A-Za-z0-9]+$/;

const validateHttp = (path: string, action: JsonObject): readonly FieldError[] => {
  const errors: FieldError[] = [];
  if (asString(action.path) === '') errors.push(field.required(field.child(path, 'path')));
  errors.push(...portOrName(field.child(path, 'port'), action.port));
  if (action.scheme !== 'HTTP' && action.scheme !== 'HTTPS') {
    errors.push(field.notSupported(field.child(path, 'scheme'), action.scheme ?? '', ['HTTP', 'HTTPS']));
  }
  for (const { name } of asObjects(action.httpHeaders)) {
    if (HEADER.test(asString(name))) continue;
    const words = "a valid HTTP header must consist of alphanumeric characters or '-'";
    errors.push(
      field.invalid(
        field.child(path, 'httpHeaders'),
        name ?? '',
        patternWords(words, '[-A-Za-z0-9]+', 'X-Header-Name'),
      ),
    );
  }
  return errors;
};

const ACTIONS: Readonly<Record<string, (path: string, action: JsonObject) => readonly FieldError[]>> = {
  exec: (path, action) =>
    Array.isArray(action.command) && action.command.length > 0 ? [] : [field.required(field.child(path, 'command'))],
  httpGet: validateHttp,
  tcpSocket: (path, action) => portOrName(field.child(path, 'port'), action.port),
  grpc: (path, action) => portOrName(field.child(path, 'port'), asNumber(action.port)),
  sleep: (path, action) =>
    asNumber(action.seconds) < 0
      ? [field.invalid(path, action.seconds, 'must be non-negative and less than terminationGracePeriodSeconds')]
      : [],
};

const validateHandler = (path: string, handler: JsonObject): readonly FieldError[] => {
  const given = Object.keys(ACTIONS).filter((name) => handler[name] !== undefined);
  const [first] = given;
  if (first === undefined) return [field.required(path, 'must specify a handler type')];
  return [
    ...(ACTIONS[first]?.(field.child(path, first), asObject(handler[first])) ?? []),
    ...given
      .slice(1)
      .map((name) => field.forbidden(field.child(path, name), 'may not specify more than 1 handler type')),
  ];
};

const COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

/** `once`: a single success must do, as for liveness and start-up. */
const validateProbe = (path: string, probe: Json | undefined, once: boolean): readonly FieldError[] => {
  if (probe === undefined) return [];
  const object = asObject(probe);
  const errors = [
    ...validateHandler(path, object),
    ...COUNTS.flatMap((name) => nonNegative(field.child(path, name), object[name])),
  ];
  const grace = object.terminationGracePeriodSeconds;
  if (typeof grace === 'number' && grace <= 0) {
    errors.push(field.invalid(field.child(path, 'terminationGracePeriodSeconds'), grace, 'must be greater than 0'));
  } else if (!once && grace !== undefined) {
    const words = 'must not be set for readinessProbes';
    errors.push(field.invalid(field.child(path, 'terminationGracePeriodSeconds'), grace, words));
  }
  if (once && object.successThreshold !== 1) {
    errors.push(field.invalid(field.child(path, 'successThreshold'), object.successThreshold ?? 0, 'must be 1'));
  }
  return errors;
};

export const validateHooks = (path: string, container: JsonObject): readonly FieldError[] => {
  const { lifecycle } = container;
  const hooks = ['postStart', 'preStop'].flatMap((name) => {
    const hook = asObject(lifecycle)[name];
    return hook === undefined ? [] : validateHandler(`${path}.lifecycle.${name}`, asObject(hook));
  });
  return [
    ...hooks,
    ...validateProbe(field.child(path, 'livenessProbe'), container.livenessProbe, true),
    ...validateProbe(field.child(path, 'readinessProbe'), container.readinessProbe, false),
    ...validateProbe(field.child(path, 'startupProbe'), container.startupProbe, true),
  ];
};
