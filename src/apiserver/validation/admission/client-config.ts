import { asNumber, asObject, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { dns1123Subdomain, portNumber } from '../names.ts';

/** Where a webhook is (apiserver util/webhook/validation.go). */

const FORM = '; desired format: https://host[/path]';

const validateUrl = (path: string, url: string): readonly FieldError[] => {
  const parts = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url);
  const [, scheme = '', authority = '', , query = '', fragment = ''] = parts ?? [];
  const at = authority.lastIndexOf('@');
  const [user, host] = at < 0 ? ['', authority] : [authority.slice(0, at), authority.slice(at + 1)];
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https') {
    errors.push(field.invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  }
  if (host === '') errors.push(field.invalid(path, host, `host must be specified${FORM}`));
  if (at >= 0) errors.push(field.invalid(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(field.invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(field.invalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
};

const validateServicePath = (path: string, given: Json | undefined): readonly FieldError[] => {
  const text = asString(given);
  if (text === '' || text === '/') return [];
  if (text === '//') return [field.invalid(path, text, 'segment[0] may not be empty')];
  const start = text.startsWith('/') ? [] : [field.invalid(path, text, "must start with a '/'")];
  const steps = text.slice(1).replace(/\/$/, '').split('/');
  const wrong = steps.flatMap((step, at) => {
    if (step === '') return [field.invalid(path, text, `segment[${at}] may not be empty`)];
    return dns1123Subdomain(step).map((words) => field.invalid(path, text, `segment[${at}]: ${words}`));
  });
  return [...start, ...wrong];
};

/** kube-apiserver takes name and namespace for each other here. */
const validateService = (path: string, service: JsonObject): readonly FieldError[] => {
  const port = asNumber(service.port);
  const words = portNumber(port);
  return [
    ...(asString(service.namespace) === '' ? [field.required(field.child(path, 'name'))] : []),
    ...(asString(service.name) === '' ? [field.required(field.child(path, 'namespace'))] : []),
    ...(words.length > 0
      ? [field.invalid(field.child(path, 'port'), port, `port is not valid: ${words.join(', ')}`)]
      : []),
    ...validateServicePath(field.child(path, 'path'), service.path),
  ];
};

export const validateClientConfig = (path: string, given: Json | undefined): readonly FieldError[] => {
  const { url, service } = asObject(given);
  if ((url === undefined) === (service === undefined)) {
    return [field.required(path, 'exactly one of url or service is required')];
  }
  if (url !== undefined) return validateUrl(field.child(path, 'url'), asString(url));
  return validateService(field.child(path, 'service'), asObject(service));
};
