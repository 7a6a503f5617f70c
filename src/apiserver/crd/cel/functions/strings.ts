import type { Environment } from '@marcbachmann/cel-js';
import { goRegexp } from '../../../validation/go-regexp.ts';
import { goNumber, goQuote } from '../../../validation/go-text.ts';
import { CelValueError } from '../cel-value-error.ts';

/** CEL's string extension, as far as cel-js lacks it, and Kubernetes' `find` and `findAll`. */

const compile = (pattern: string, flags: string): RegExp => {
  try {
    const compiled = goRegexp(pattern);
    return new RegExp(compiled.source, compiled.flags + flags);
  } catch (error) {
    throw new CelValueError(`Illegal regex: ${error instanceof Error ? error.message : pattern}`);
  }
};

const find = (text: string, pattern: string): string => compile(pattern, '').exec(text)?.[0] ?? '';

const findAll = (text: string, pattern: string, limit = -1n): readonly string[] => {
  const all = Array.from(text.matchAll(compile(pattern, 'g')), (match) => match[0]);
  return limit < 0n ? all : all.slice(0, Number(limit));
};

const charAt = (text: string, position: bigint): string => {
  const characters = [...text];
  const at = Number(position);
  if (at < 0 || at > characters.length) throw new CelValueError(`index out of range: ${at}`);
  return characters[at] ?? '';
};

const replace = (text: string, from: string, to: string, limit = -1n): string => {
  if (limit < 0n) return text.replaceAll(from, () => to);
  let out = '';
  let rest = text;
  for (let left = limit; left > 0n; left -= 1n) {
    const at = rest.indexOf(from);
    if (at < 0) break;
    out += rest.slice(0, at) + to;
    rest = rest.slice(at + from.length);
  }
  return out + rest;
};

const shown = (value: unknown): string => {
  if (typeof value === 'number') return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([name, item]) => `${name}: ${shown(item)}`).join(', ')}}`;
  }
  return String(value);
};

const clause = (verb: string, precision: string, value: unknown): string => {
  const digits = precision === '' ? 6 : Number(precision.slice(1));
  if (verb === 's') return shown(value);
  if (verb === 'd') {
    if (typeof value !== 'string' && typeof value !== 'boolean') return String(value);
    const type = typeof value === 'string' ? 'string' : 'bool';
    throw new CelValueError(`error during formatting: decimal clause can only be used on integers, was given ${type}`);
  }
  if (verb === 'f') return Number(value).toFixed(digits);
  if (verb === 'e')
    return Number(value)
      .toExponential(digits)
      .replace(/e([+-])(\d)$/, 'e$10$2');
  if (verb === 'b') return typeof value === 'boolean' ? (value ? '1' : '0') : BigInt(value as bigint).toString(2);
  if (verb === 'o') return BigInt(value as bigint).toString(8);
  const hex = typeof value === 'string' ? Buffer.from(value).toString('hex') : BigInt(value as bigint).toString(16);
  return verb === 'X' ? hex.toUpperCase() : hex;
};

const unknownClause = (verb: string): string =>
  verb === ''
    ? 'unexpected end of string'
    : `could not parse formatting clause: unrecognized formatting clause "${verb}"`;

const format = (text: string, values: readonly unknown[]): string => {
  let next = 0;
  return text.replaceAll(/%%|%(\.\d+)?(.|$)/gsu, (all, precision: string | undefined, verb: string) => {
    if (all === '%%') return '%';
    if (!/[sdfebxXo]/.test(verb)) throw new CelValueError(unknownClause(verb));
    if (next >= values.length) throw new CelValueError(`index ${next} out of range`);
    next += 1;
    return clause(verb, precision ?? '', values[next - 1]);
  });
};

/** What `strings` is in `strings.quote('a')`. */
class StringsNamespace {
  readonly functions = 'strings';
}

export const registerStrings = (env: Environment): void => {
  env.registerFunction('string.find(string): string', find);
  env.registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
    findAll(text, pattern),
  );
  env.registerFunction('string.findAll(string, int): list<string>', findAll);
  env.registerFunction('string.charAt(int): string', charAt);
  env.registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
    replace(text, from, to),
  );
  env.registerFunction('string.replace(string, string, int): string', replace);
  env.registerFunction('string.format(list): string', format);
  env.registerType('StringsNamespace', { ctor: StringsNamespace, fields: {} });
  env.registerConstant('strings', 'StringsNamespace', new StringsNamespace());
  env.registerFunction('StringsNamespace.quote(string): string', (_: StringsNamespace, text: string) => goQuote(text));
};
