import { TomlDate } from 'smol-toml';

/** A table: the entries of a Map in their order, those of an object by key. Entries that are undefined are left out. */
export type TomlTable = ReadonlyMap<string, TomlValue> | { readonly [key: string]: TomlValue };

/** Integers are bigints, as the parser gives them when told to; numbers are floats. */
export type TomlValue = string | bigint | number | boolean | TomlDate | readonly TomlValue[] | TomlTable | undefined;

/** TOML as go-toml writes it: literal strings where they can be, values before tables, an empty line between tables. */
export function writeToml(root: TomlTable): string {
  return new TomlWriter().write(root);
}

class TomlWriter {
  #text = '';
  #isBehindHeader = false;

  write(root: TomlTable): string {
    this.#table(root, []);
    return this.#text;
  }

  #table(table: TomlTable, path: readonly string[]): void {
    const entries = entriesOf(table);
    for (const [key, value] of entries) {
      if (isTable(value) || isTableList(value)) continue;
      this.#text += `${keyText(key)} = ${valueText(value)}\n`;
      this.#isBehindHeader = false;
    }
    for (const [key, value] of entries) {
      const inner = [...path, key];
      if (isTable(value)) this.#section(value, inner, '[', ']');
      else if (isTableList(value)) for (const item of value) this.#section(item, inner, '[[', ']]');
    }
  }

  #section(table: TomlTable, path: readonly string[], open: string, close: string): void {
    if (this.#text !== '' && !this.#isBehindHeader) this.#text += '\n';
    this.#text += `${open}${path.map(keyText).join('.')}${close}\n`;
    this.#isBehindHeader = true;
    this.#table(table, path);
  }
}

type Entry = [key: string, value: Exclude<TomlValue, undefined>];

function entriesOf(table: TomlTable): readonly Entry[] {
  const entries = table instanceof Map ? [...table] : Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.filter((entry): entry is Entry => entry[1] !== undefined);
}

/** Whether it is a table, inline or not. */
export const isTable = (value: TomlValue): value is TomlTable =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof TomlDate);

const isTableList = (value: TomlValue): value is readonly TomlTable[] =>
  Array.isArray(value) && value.length > 0 && value.every(isTable);

const keyText = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : stringText(key));

function valueText(value: Exclude<TomlValue, undefined>): string {
  if (typeof value === 'string') return stringText(value);
  if (typeof value === 'number') return floatText(value);
  if (value instanceof TomlDate) return dateText(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (!isTable(value)) return String(value);
  return `{${entriesOf(value)
    .map(([key, item]) => `${keyText(key)} = ${valueText(item)}`)
    .join(', ')}}`;
}

/** Without the digits of a second that are zero. */
const dateText = (date: TomlDate): string =>
  date.toISOString().replace(/\.(\d*?)0+(?=\D|$)/, (_, kept) => (kept ? `.${kept}` : ''));

function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (!Number.isInteger(value)) return fractionText(value);
  return `${Object.is(value, -0) ? '-' : ''}${BigInt(value)}.0`;
}

/** Without an exponent. */
function fractionText(value: number): string {
  const text = String(value);
  const [mantissa = '', exponent] = text.split('e-');
  if (exponent === undefined) return text;
  return value.toFixed(Math.min(100, Number(exponent) + (mantissa.split('.')[1]?.length ?? 0)));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

const DELETE = 0x7f;

const isControl = (char: string): boolean => char < ' ' || char.charCodeAt(0) === DELETE;

function stringText(text: string): string {
  const chars = [...text];
  if (!chars.some((char) => char === "'" || isControl(char))) return `'${text}'`;
  return `"${chars.map(escaped).join('')}"`;
}

function escaped(char: string): string {
  const code = char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return ESCAPES[char] ?? (isControl(char) ? `\\u${code}` : char);
}
