/** How Go prints the values that end up in the API's messages. */

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
};

const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0');

/** strconv.Quote, Go's `%q` of a string. */
export const goQuote = (text: string): string => {
  let out = '"';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const escaped = ESCAPES[char];
    if (escaped !== undefined) out += escaped;
    else if (code < 0x20 || code === 0x7f) out += `\\x${hex(code, 2)}`;
    else if (/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) out += char;
    else out += code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  }
  return `${out}"`;
};

/** Go's `%v` of a number: shortest digits, exponent below 1e-4 and from 1e21 on. */
export const goNumber = (value: number): string => {
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 1e-4 && magnitude < 1e21)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
};

/** encoding/json's Marshal: keys sorted, HTML characters escaped. */
export const goJson = (value: unknown): string => {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') {
    return JSON.stringify(value)
      .replaceAll('&', '\\u0026')
      .replaceAll('<', '\\u003c')
      .replaceAll('>', '\\u003e')
      .replaceAll('\u2028', '\\u2028')
      .replaceAll('\u2029', '\\u2029');
  }
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${goJson(key)}:${goJson(item)}`).join(',')}}`;
  }
  return String(value);
};

/** The name of the Go type that a JSON value decodes to without a schema. */
export const goType = (value: unknown): string => {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return 'string';
};

/** Go's `%v` of a decoded JSON value. */
export const goValue = (value: unknown): string => {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `map[${entries.map(([key, item]) => `${key}:${goValue(item)}`).join(' ')}]`;
  }
  return typeof value === 'number' ? goNumber(value) : String(value);
};
