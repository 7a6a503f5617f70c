const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const NAME_WORDS =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const VALUE = `(${NAME})?`;
const VALUE_WORDS = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`;
const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const SUBDOMAIN_WORDS =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

const NAME_PATTERN = new RegExp(`^${NAME}$`);
const VALUE_PATTERN = new RegExp(`^${VALUE}$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
const LONGEST = 63;
const LONGEST_SUBDOMAIN = 253;

const EMPTY = 'must be non-empty';
const tooLong = (limit: number): string => `must be no more than ${limit} bytes`;

function shape(words: string, pattern: string, ...examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}'`).join(',  or ');
  return `${words} (e.g. ${list}, regex used for validation is '${pattern}')`;
}

const nameShape = (): string => shape(NAME_WORDS, NAME, 'MyName', 'my.name', '123-abc');

/** UTF-8 length, which is what Kubernetes limits. */
function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** What is wrong with a DNS-1123 subdomain, in Kubernetes' words; empty when nothing is. */
function subdomainProblems(value: string): string[] {
  const problems = [];
  if (byteLength(value) > LONGEST_SUBDOMAIN) problems.push(tooLong(LONGEST_SUBDOMAIN));
  if (!SUBDOMAIN_PATTERN.test(value)) problems.push(shape(SUBDOMAIN_WORDS, SUBDOMAIN, 'example.com'));
  return problems;
}

/** What is wrong with a label key (a qualified name), in Kubernetes' words; empty when nothing is. */
export function labelKeyProblems(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${nameShape()} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const problems: string[] = [];
  if (prefix === '') problems.push(`prefix part ${EMPTY}`);
  else if (prefix !== undefined) problems.push(...subdomainProblems(prefix).map((problem) => `prefix part ${problem}`));
  if (name === '') problems.push(`name part ${EMPTY}`);
  else if (byteLength(name) > LONGEST) problems.push(`name part ${tooLong(LONGEST)}`);
  if (!NAME_PATTERN.test(name)) problems.push(`name part ${nameShape()}`);
  return problems;
}

/** What is wrong with a label value, in Kubernetes' words; empty when nothing is. */
export function labelValueProblems(value: string): string[] {
  const problems = [];
  if (byteLength(value) > LONGEST) problems.push(tooLong(LONGEST));
  if (!VALUE_PATTERN.test(value)) problems.push(shape(VALUE_WORDS, VALUE, 'MyValue', 'my_value', '12345'));
  return problems;
}
