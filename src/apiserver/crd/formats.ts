/** String formats that CRD schemas may ask for (kube-openapi's strfmt registry); others are ignored with a warning. */

const IPV4_PART = '(?:[0-9]{1,3})';
const IPV4 = new RegExp(`^${IPV4_PART}(?:\\.${IPV4_PART}){3}$`);
const HEX_GROUP = /^[0-9a-fA-F]{1,4}$/;

const isIPv4 = (text: string): boolean => IPV4.test(text) && text.split('.').every((part) => Number(part) <= 255);

const isIPv6 = (text: string): boolean => {
  if (!text.includes(':') || text.includes(':::')) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups: string[] = [];
  for (const half of halves) if (half !== '') groups.push(...half.split(':'));
  const last = groups.at(-1) ?? '';
  let count = groups.length;
  if (last.includes('.')) {
    if (!isIPv4(last)) return false;
    groups.pop();
    count += 1;
  }
  return groups.every((group) => HEX_GROUP.test(group)) && (halves.length === 2 ? count <= 7 : count === 8);
};

const isCidr = (text: string): boolean => {
  const slash = text.indexOf('/');
  const bits = text.slice(slash + 1);
  if (slash < 0 || !/^[0-9]{1,3}$/.test(bits)) return false;
  const address = text.slice(0, slash);
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
};

const isbn10 = (text: string): boolean => {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^[0-9]{9}[0-9X]$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < 9; at += 1) sum += (at + 1) * Number(digits[at]);
  sum += 10 * (digits[9] === 'X' ? 10 : Number(digits[9]));
  return sum % 11 === 0;
};

const isbn13 = (text: string): boolean => {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < 12; at += 1) sum += Number(digits[at]) * (at % 2 === 0 ? 1 : 3);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
};

const isCreditCard = (text: string): boolean => {
  const digits = text.replaceAll(/[^0-9]+/g, '');
  if (
    !/^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/.test(
      digits,
    )
  ) {
    return false;
  }
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    sum += at % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
};

const isUri = (text: string): boolean => {
  if (text.startsWith('/')) return true;
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:(.*)$/s.exec(text);
  if (scheme === null || /[\s\p{Cc}]/u.test(text)) return false;
  return !text.includes('%') || !/%(?![0-9a-fA-F]{2})/.test(text);
};

const isEmail = (text: string): boolean =>
  /^(?:[^<>@]*<)?(?:"[^"]+"|[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+)@[A-Za-z0-9!#$%&'*+/=?^_`{|}~[\]:.-]+>?$/.test(
    text.trim(),
  );

const LABEL = '[a-zA-Z0-9\\p{S}\\p{L}]';
const HOSTNAME = new RegExp(
  `^(?:${LABEL}(?:-?${LABEL}{0,62})?|(?:${LABEL}(?:[a-zA-Z0-9\\p{S}\\p{L}-]{0,61}${LABEL})?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  'u',
);

const isHostname = (text: string): boolean =>
  text.length <= 255 && HOSTNAME.test(text) && text.split('.').every((part) => part.length <= 63);

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isDate = (text: string): boolean => {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
  return day >= 1 && day <= days;
};

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})([.,]\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

const isDateTime = (text: string): boolean => {
  const parts = DATE_TIME.exec(text);
  return (
    parts !== null &&
    isDate(parts[1] ?? '') &&
    Number(parts[2]) <= 23 &&
    Number(parts[3]) <= 59 &&
    Number(parts[4]) <= 59
  );
};

const GO_DURATION = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const WORDY_DURATION =
  /^(?:\d+)\s*(?:ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$/;

const uuid = (third: string, fourth: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, 'i');

const ANY = '[0-9a-f]{4}';
const VARIANT = '[89ab][0-9a-f]{3}';

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

const CHECKS: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  ['bsonobjectid', matches(/^[0-9a-f]{24}$/i)],
  ['uri', isUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  [
    'mac',
    matches(
      /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$|^(?:[0-9a-f]{2}[:-]){7}[0-9a-f]{2}$|^(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}$/i,
    ),
  ],
  ['uuid', matches(uuid(ANY, ANY))],
  ['uuid3', matches(uuid('3[0-9a-f]{3}', ANY))],
  ['uuid4', matches(uuid('4[0-9a-f]{3}', VARIANT))],
  ['uuid5', matches(uuid('5[0-9a-f]{3}', VARIANT))],
  ['isbn', (text) => isbn10(text) || isbn13(text)],
  ['isbn10', isbn10],
  ['isbn13', isbn13],
  ['creditcard', isCreditCard],
  ['ssn', matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', matches(/^rgb\(\s*(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\s*,\s*){2}(?:25[0-5]|2[0-4]\d|1?\d?\d)\s*\)$/)],
  ['byte', matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', (text) => GO_DURATION.test(text) || WORDY_DURATION.test(text)],
  ['datetime', isDateTime],
  ['date-time', isDateTime],
  ['k8s-short-name', (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text)],
  [
    'k8s-long-name',
    (text) => text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
  ],
]);

const NUMBER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

const normalized = (format: string): string => (CHECKS.has(format) ? format : format.replaceAll('-', ''));

/** Whether a format means something for values of this type; for others the API warns when a definition is written. */
export const isSupportedFormat = (format: string, type: string | undefined): boolean => {
  if (type === undefined || type === '' || type === 'string') return CHECKS.has(normalized(format));
  return NUMBER_FORMATS[type]?.includes(format) ?? false;
};

/** The format if it means something for values of this type, or the empty string. */
export const supportedFormat = (format: string | undefined, type: string | undefined): string =>
  format !== undefined && format !== '' && isSupportedFormat(format, type) ? format : '';

/** Whether `text` is of a string format; unknown formats accept everything. */
export const matchesFormat = (format: string, text: string): boolean => CHECKS.get(normalized(format))?.(text) ?? true;
