import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { goNumber } from '../validation/go-text.ts';
import { compareKeys } from './compare-keys.ts';
import { isSimpleKey, styleOf } from './scalar-style.ts';

/** Lines are broken at the first space after so many characters. */
const WIDTH = 80;
const STEP = 2;

const pad = (indent: number): string => ' '.repeat(indent);

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\u000b': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\u001b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\ufeff': '\\uFEFF',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

const escaped = (char: string): string => {
  const known = ESCAPES[char];
  if (known !== undefined) return known;
  const code = char.codePointAt(0) ?? 0;
  if ((code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code < 0xfffe)) return char;
  if (code > 0xffff) return `\\U${code.toString(16).toUpperCase().padStart(8, '0')}`;
  if (code > 0xff) return `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
};

/** JSON as YAML, in the form that sigs.k8s.io/yaml gives it: keys in order, lists no deeper than their key, go-yaml's quotes. */
export const writeYaml = (value: Json): string => {
  const writer = new YamlWriter();
  writer.root(value);
  return writer.text;
};

class YamlWriter {
  text = '';

  root(value: Json): void {
    this.#node(value, 0);
    if (!this.text.endsWith('\n')) this.text += '\n';
  }

  get #column(): number {
    return this.text.length - this.text.lastIndexOf('\n') - 1;
  }

  /** A value whose first line goes on where the text ends; collections begin at `indent`. */
  #node(value: Json, indent: number): void {
    if (Array.isArray(value)) this.#list(value as readonly Json[], indent);
    else if (isObject(value)) this.#map(value, indent);
    else this.#scalar(value, indent, false);
  }

  #map(object: JsonObject, indent: number): void {
    const keys = Object.keys(object)
      .filter((key) => object[key] !== undefined)
      .sort(compareKeys);
    if (keys.length === 0) this.text += '{}';
    for (const [at, key] of keys.entries()) {
      if (at > 0) this.#line(indent);
      const value = object[key] ?? null;
      if (!isSimpleKey(key)) {
        this.#complex(key, value, indent);
        continue;
      }
      this.#scalar(key, indent, true);
      this.text += ':';
      this.#below(value, indent);
    }
  }

  #complex(key: string, value: Json, indent: number): void {
    this.text += '? ';
    this.#scalar(key, indent, false);
    this.#line(indent);
    this.text += ': ';
    this.#item(value, indent);
  }

  #list(items: readonly Json[], indent: number): void {
    if (items.length === 0) this.text += '[]';
    for (const [at, item] of items.entries()) {
      if (at > 0) this.#line(indent);
      this.text += '- ';
      this.#item(item, indent);
    }
  }

  /** What goes on behind a dash or a colon of its own. */
  #item(value: Json, indent: number): void {
    if (isFilled(value)) this.#node(value, indent + STEP);
    else this.#scalarOrEmpty(value, indent);
  }

  /** The value of a key. */
  #below(value: Json, indent: number): void {
    if (!isFilled(value)) {
      this.text += ' ';
      this.#scalarOrEmpty(value, indent);
      return;
    }
    const inner = Array.isArray(value) ? indent : indent + STEP;
    this.#line(inner);
    this.#node(value, inner);
  }

  #scalarOrEmpty(value: Json, indent: number): void {
    if (Array.isArray(value)) this.text += '[]';
    else if (isObject(value)) this.text += '{}';
    else this.#scalar(value, indent, false);
  }

  #line(indent: number): void {
    if (!this.text.endsWith('\n')) this.text += '\n';
    this.text += pad(indent);
  }

  #scalar(value: Json, indent: number, key: boolean): void {
    if (typeof value !== 'string') {
      this.text += typeof value === 'number' ? goNumber(value) : String(value);
      return;
    }
    const inner = indent + STEP;
    switch (styleOf(value, key)) {
      case 'literal':
        this.#literal(value, inner);
        break;
      case 'plain':
        this.#folded(value, inner, key, (char) => char);
        break;
      case 'single':
        this.text += "'";
        this.#folded(value, inner, key, (char) => (char === "'" ? "''" : char));
        this.text += "'";
        break;
      default:
        this.text += '"';
        this.#folded(value, inner, key, escaped);
        this.text += '"';
    }
  }

  #folded(value: string, indent: number, key: boolean, show: (char: string) => string): void {
    const chars = [...value];
    for (const [at, char] of chars.entries()) {
      const inside = at > 0 && at < chars.length - 1;
      const alone = char === ' ' && chars[at - 1] !== ' ' && chars[at + 1] !== ' ';
      if (alone && inside && !key && this.#column > WIDTH) this.#line(indent);
      else this.text += show(char);
    }
  }

  #literal(value: string, indent: number): void {
    const hint = /^[ \n]/.test(value) ? String(STEP) : '';
    const kept = value.endsWith('\n') ? (value === '\n' || value.endsWith('\n\n') ? '+' : '') : '-';
    this.text += `|${hint}${kept}\n`;
    const lines = value.endsWith('\n') ? value.slice(0, -1).split('\n') : value.split('\n');
    this.text += lines.map((line) => (line === '' ? '' : pad(indent) + line)).join('\n');
    this.text += '\n';
  }
}

const isFilled = (value: Json): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) && Object.values(value).some((item) => item !== undefined);
