/**
 * Turns the object literals of mutating policies into calls, since cel-js knows none: `Object{metadata: …}` becomes
 * `object__().set__("metadata", (…))`, `Object.metadata{…}` starts with `part__("Object.metadata")`, and
 * `JSONPatch{op: …}` becomes `operation__().op__((…))`. All else stays.
 */
export const rewriteLiterals = (source: string): string => {
  let out = '';
  let at = 0;
  while (at < source.length) {
    const skipped = skipOpaque(source, at);
    if (skipped > at) {
      out += source.slice(at, skipped);
      at = skipped;
      continue;
    }
    const literal = literalAt(source, at);
    if (literal === undefined) {
      out += source[at];
      at++;
      continue;
    }
    out += literal.text;
    at = literal.end;
  }
  return out;
};

/** The end of the string, bytes or comment that begins at a place; the place itself if none does. */
const skipOpaque = (source: string, at: number): number => {
  if (source.startsWith('//', at)) {
    const end = source.indexOf('\n', at);
    return end < 0 ? source.length : end;
  }
  if (at > 0 && /\w/.test(source[at - 1] ?? '')) return at;
  const opening = /(?:[rRbB]|[bB][rR]|[rR][bB])?("""|'''|"|')/y;
  opening.lastIndex = at;
  const found = opening.exec(source);
  if (found === null) return at;
  const [whole, quote = ''] = found;
  const raw = /r/i.test(whole.slice(0, -quote.length));
  let here = at + whole.length;
  while (here < source.length && !source.startsWith(quote, here)) here += !raw && source[here] === '\\' ? 2 : 1;
  return Math.min(source.length, here + quote.length);
};

interface Literal {
  readonly text: string;
  readonly end: number;
}

const literalAt = (source: string, at: number): Literal | undefined => {
  if (/[\w.]/.test(source[at - 1] ?? '')) return undefined;
  const head = /(Object(?:\.\w+)*|JSONPatch)\s*\{/y;
  head.lastIndex = at;
  const found = head.exec(source);
  if (found === null) return undefined;
  const [whole, type = ''] = found;
  const parts = splitFields(source, at + whole.length);
  if (parts === undefined) return undefined;
  const start = type === 'Object' ? 'object__()' : type === 'JSONPatch' ? 'operation__()' : `part__("${type}")`;
  const fields = parts.fields.map((field) => fieldCall(field, type === 'JSONPatch'));
  return { text: start + fields.join(''), end: parts.end };
};

const fieldCall = (field: string, operation: boolean): string => {
  const named = /^\s*(\??)\s*(?:`([^`]*)`|(\w+))\s*:/.exec(field);
  if (named === null) return field;
  const [whole, optional, quoted, plain] = named;
  const name = quoted ?? plain ?? '';
  const value = `(${rewriteLiterals(field.slice(whole.length))})`;
  if (operation) return `.${name}__${value}`;
  return `.${optional ? 'setIf__' : 'set__'}(${JSON.stringify(name)}, ${value})`;
};

/** The parts between commas up to the brace that closes, and where that ends; undefined where none closes. */
const splitFields = (
  source: string,
  from: number,
): { readonly fields: readonly string[]; readonly end: number } | undefined => {
  const fields: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < source.length; ) {
    const skipped = skipOpaque(source, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const char = source[at] ?? '';
    if (depth === 0 && (char === ',' || char === '}')) {
      const field = source.slice(start, at);
      if (field.trim() !== '') fields.push(field);
      start = at + 1;
      if (char === '}') return { fields, end: at + 1 };
    } else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    at++;
  }
  return undefined;
};
