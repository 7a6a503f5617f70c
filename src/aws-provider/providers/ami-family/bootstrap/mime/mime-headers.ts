/** Name, in the form `Content-Type`, and value of each header, in the order they were written. */
export type MimeHeaders = readonly (readonly [name: string, value: string])[];

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * The headers that a text begins with, and where what follows the empty line behind them begins.
 *
 * @throws when a line is none.
 */
export function readHeaders(text: string, start: number): { readonly headers: MimeHeaders; readonly end: number } {
  if (text[start] === ' ' || text[start] === '\t') throw new Error('malformed initial line');
  const headers: [string, string][] = [];
  let at = start;
  while (at < text.length) {
    const [line, next] = readLine(text, at);
    at = next;
    if (line === '') break;
    let whole = line.trim();
    while (text[at] === ' ' || text[at] === '\t') {
      const [more, behind] = readLine(text, at);
      whole += ` ${more.trim()}`;
      at = behind;
    }
    const colon = whole.indexOf(':');
    if (colon < 0) throw new Error(`malformed header line: ${whole}`);
    headers.push([canonicalName(whole.slice(0, colon)), whole.slice(colon + 1).replace(/^[ \t]+/, '')]);
  }
  return { headers, end: at };
}

/** The value of the first header of that name. */
export const headerOf = (headers: MimeHeaders, name: string): string | undefined =>
  headers.find(([key]) => key === name)?.[1];

function readLine(text: string, start: number): readonly [line: string, next: number] {
  const found = text.indexOf('\n', start);
  const end = found < 0 ? text.length : found;
  return [text.slice(start, end).replace(/\r$/, ''), end + 1];
}

/** `content-type` as `Content-Type`; what is no name stays as it is. */
function canonicalName(name: string): string {
  if (!TOKEN.test(name)) return name;
  return name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join('-');
}
