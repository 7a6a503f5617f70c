/** What Kubernetes allows in names, keys and values: each check returns its complaints (apimachinery util/validation). */
export type Check = (value: string) => readonly string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const DNS1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const VALUE = `(${KEY})?`;
const CONFIG_KEY = '[-._a-zA-Z0-9]+';

const whole = (source: string): RegExp => new RegExp(`^${source}$`);

const LABEL_RE = whole(LABEL);
const SUBDOMAIN_RE = whole(SUBDOMAIN);
const DNS1035_RE = whole(DNS1035_LABEL);
const KEY_RE = whole(KEY);
const VALUE_RE = whole(VALUE);
const CONFIG_KEY_RE = whole(CONFIG_KEY);

const KEY_WORDS =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const SUBDOMAIN_WORDS =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

export const bytes = (text: string): number => Buffer.byteLength(text);

export const tooManyCharacters = (maximum: number): string => `must be no more than ${maximum} characters`;
const tooManyBytes = (maximum: number): string => `must be no more than ${maximum} bytes`;

export const rangeWords = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;

/** validation.RegexError. */
export const patternWords = (words: string, pattern: string, ...examples: readonly string[]): string => {
  const note = `regex used for validation is '${pattern}')`;
  if (examples.length === 0) return `${words} (${note}`;
  return `${words} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}${note}`;
};

export const dns1123Subdomain: Check = (value) => {
  const complaints: string[] = [];
  if (bytes(value) > 253) complaints.push(tooManyCharacters(253));
  if (!SUBDOMAIN_RE.test(value)) complaints.push(patternWords(SUBDOMAIN_WORDS, SUBDOMAIN, 'example.com'));
  return complaints;
};

export const wildcardSubdomain: Check = (value) => {
  const complaints: string[] = [];
  const pattern = `\\*\\.${SUBDOMAIN}`;
  if (bytes(value) > 253) complaints.push(tooManyCharacters(253));
  if (whole(pattern).test(value)) return complaints;
  const words =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [...complaints, patternWords(words, pattern, '*.example.com')];
};

export const dns1123Label: Check = (value) => {
  const complaints: string[] = [];
  if (bytes(value) > 63) complaints.push(tooManyCharacters(63));
  if (LABEL_RE.test(value)) return complaints;
  const words =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  complaints.push(
    SUBDOMAIN_RE.test(value) ? 'must not contain dots' : patternWords(words, LABEL, 'my-name', '123-abc'),
  );
  return complaints;
};

export const dns1035Label: Check = (value) => {
  const complaints: string[] = [];
  if (bytes(value) > 63) complaints.push(tooManyCharacters(63));
  if (DNS1035_RE.test(value)) return complaints;
  const words =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  complaints.push(patternWords(words, DNS1035_LABEL, 'my-name', 'abc-123'));
  return complaints;
};

const prefixComplaints = (prefix: string): readonly string[] => {
  if (prefix === '') return ['must be non-empty'];
  const complaints: string[] = [];
  if (bytes(prefix) > 253) complaints.push(tooManyBytes(253));
  if (!SUBDOMAIN_RE.test(prefix)) complaints.push(patternWords(SUBDOMAIN_WORDS, SUBDOMAIN, 'example.com'));
  return complaints;
};

const namePartComplaints = (name: string): readonly string[] => {
  const complaints: string[] = [];
  if (name === '') complaints.push('must be non-empty');
  else if (bytes(name) > 63) complaints.push(tooManyBytes(63));
  if (!KEY_RE.test(name)) complaints.push(patternWords(KEY_WORDS, KEY, 'MyName', 'my.name', '123-abc'));
  return complaints;
};

/** Label keys, finalizers, resource names, condition types: an optional DNS prefix and a name. */
export const qualifiedName: Check = (value) => {
  const parts = value.split('/');
  if (parts.length > 2) {
    const words = patternWords(KEY_WORDS, KEY, 'MyName', 'my.name', '123-abc');
    return [`a valid label key ${words} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const [first = '', second] = parts;
  const prefix = second === undefined ? [] : prefixComplaints(first).map((words) => `prefix part ${words}`);
  return [...prefix, ...namePartComplaints(second ?? first).map((words) => `name part ${words}`)];
};

export const labelValue: Check = (value) => {
  const complaints: string[] = [];
  if (bytes(value) > 63) complaints.push(tooManyBytes(63));
  if (!VALUE_RE.test(value)) {
    complaints.push(
      patternWords(
        `a valid label must be an empty string or consist of ${KEY_WORDS.slice(16)}`,
        VALUE,
        'MyValue',
        'my_value',
        '12345',
      ),
    );
  }
  return complaints;
};

/** Names that only have to fit into a URL path: RBAC objects. */
export const pathSegmentName: Check = (value) => {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
};

const parentFolderWords = (value: string): readonly string[] => {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
};

/** Keys of ConfigMaps and Secrets. */
export const configMapKey: Check = (value) => {
  const complaints: string[] = [];
  if (bytes(value) > 253) complaints.push(tooManyCharacters(253));
  if (!CONFIG_KEY_RE.test(value)) {
    const words = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    complaints.push(patternWords(words, CONFIG_KEY, 'key.name', 'KEY_NAME', 'key-name'));
  }
  return [...complaints, ...parentFolderWords(value)];
};

/** Names of environment variables, in the relaxed form that is the default today. */
export const environmentName: Check = (value) => {
  if (value === '') return ['environment variable name must be non-empty'];
  return /^[ -<>-~]+$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
};

export const portNumber = (port: number): readonly string[] =>
  port >= 1 && port <= 65535 ? [] : [rangeWords(1, 65535)];

/** IANA service names, for ports. */
export const portName: Check = (value) => {
  const complaints: string[] = [];
  if (value.length > 15) complaints.push(tooManyCharacters(15));
  if (!/^[-a-z0-9]+$/.test(value)) {
    complaints.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) complaints.push('must contain at least one letter (a-z)');
  if (value.includes('--')) complaints.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) complaints.push('must not begin or end with a hyphen');
  return complaints;
};
