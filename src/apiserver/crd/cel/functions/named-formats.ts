import type { Environment, Optional } from '@marcbachmann/cel-js';
import {
  type Check,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  qualifiedName,
} from '../../../validation/names.ts';
import { matchesFormat } from '../../formats.ts';

/** `format.dns1123Label().validate(text)` and its like (apiserver cel/library/format.go). */

class NamedFormat {
  readonly check: Check;

  constructor(check: Check) {
    this.check = check;
  }
}

/** What `format` is in `format.dns1123Label()`. */
class FormatNamespace {
  readonly functions = 'format';
}

const prefixOf =
  (check: Check): Check =>
  (text) =>
    check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);

const formatted =
  (format: string, complaint: string): Check =>
  (text) =>
    matchesFormat(format, text) ? [] : [complaint];

const CHECKS: Readonly<Record<string, Check>> = {
  dns1123Label,
  dns1123Subdomain,
  dns1035Label,
  qualifiedName,
  dns1123LabelPrefix: prefixOf(dns1123Label),
  dns1123SubdomainPrefix: prefixOf(dns1123Subdomain),
  dns1035LabelPrefix: prefixOf(dns1035Label),
  labelValue,
  uri: formatted('uri', 'invalid URI for request'),
  uuid: formatted('uuid', 'does not match the UUID format'),
  byte: formatted('byte', 'invalid base64'),
  date: formatted('date', 'invalid date'),
  datetime: formatted('datetime', 'invalid datetime'),
};

export const registerNamedFormats = (env: Environment, optional: typeof Optional): void => {
  env.registerType('kubernetes.NamedFormat', { ctor: NamedFormat, fields: {} });
  env.registerType('FormatNamespace', { ctor: FormatNamespace, fields: {} });
  env.registerConstant('format', 'FormatNamespace', new FormatNamespace());
  for (const [name, check] of Object.entries(CHECKS)) {
    env.registerFunction(`FormatNamespace.${name}(): kubernetes.NamedFormat`, () => new NamedFormat(check));
  }
  env.registerFunction(
    'FormatNamespace.named(string): optional<kubernetes.NamedFormat>',
    (_: FormatNamespace, name: string) => {
      const check = CHECKS[name];
      return check === undefined ? optional.none() : optional.of(new NamedFormat(check));
    },
  );
  env.registerFunction(
    'kubernetes.NamedFormat.validate(string): optional<list<string>>',
    ({ check }: NamedFormat, text: string) => {
      const complaints = check(text);
      return complaints.length === 0 ? optional.none() : optional.of(complaints);
    },
  );
};
