import type { FieldError } from '../../kind.ts';
import * as field from '../field-error.ts';
import { bytes, dns1123Label, dns1123Subdomain } from '../names.ts';

const LONGEST_DOMAIN = 253;
const LONGEST_PATH = 253 + 63 + 1;

/** The name of a signer of certificates: a domain and a path (core/validation/names.go). */
export const validateSignerName = (path: string, name: string): readonly FieldError[] => {
  if (name === '') return [field.required(path)];
  const [domain = '', rest = '', ...more] = name.split('/');
  if (!name.includes('/') || more.length > 0) {
    const words = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [field.invalid(path, name, words)];
  }
  const complaints = (segment: string, check: (label: string) => readonly string[]): readonly FieldError[] => {
    const wrong = segment.split('.').find((label) => check(label).length > 0);
    if (wrong === undefined) return [];
    return check(wrong).map((words) =>
      field.invalid(path, segment, `validating label ${JSON.stringify(wrong)}: ${words}`),
    );
  };
  return [
    ...(bytes(domain) > LONGEST_DOMAIN ? [field.tooLong(path, LONGEST_DOMAIN)] : []),
    ...complaints(domain, dns1123Label),
    ...(domain.includes('.')
      ? []
      : [field.invalid(path, domain, 'should be a domain with at least two segments separated by dots')]),
    ...complaints(rest, dns1123Subdomain),
    ...(bytes(rest) > LONGEST_PATH ? [field.tooLong(path, LONGEST_PATH)] : []),
  ];
};
