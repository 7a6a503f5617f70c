import { parseMediaType } from './media-type.ts';
import { headerOf, type MimeHeaders, readHeaders } from './mime-headers.ts';
import { decodeQuotedPrintable } from './quoted-printable.ts';

/** One part of a multipart archive. */
export interface MimePart {
  readonly headers: MimeHeaders;
  readonly content: string;
}

/** What headers of parts may look like; those of the archive may look like anything. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z ]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/** What follows a boundary within its line. */
type AfterBoundary = 'delimiter' | 'final' | 'other';

/**
 * The parts of a multipart archive, as Go's `mime/multipart` reads them: boundaries may end their lines in any way, but those
 * within the archive as the first one does.
 *
 * @throws when it is no such archive, or ends within a part.
 */
export function parseMime(text: string): readonly MimePart[] {
  const { headers, end } = readHeaders(text, 0);
  const { type, parameters } = parseMediaType(headerOf(headers, 'Content-Type') ?? '');
  if (!type.startsWith('multipart/')) throw new Error('user data is not in multipart MIME format');
  const boundary = parameters.get('boundary') ?? '';
  if (boundary === '') throw new Error('multipart: boundary is empty');
  return partsOf(text, end, `--${boundary}`);
}

function partsOf(text: string, start: number, dash: string): readonly MimePart[] {
  const parts: MimePart[] = [];
  let newline = '\r\n';
  let at = start;
  let isBehindPart = false;
  while (at < text.length) {
    const found = text.indexOf('\n', at);
    const next = found < 0 ? text.length : found + 1;
    const line = text.slice(at, next);
    const kind = kindOf(line, dash);
    at = next;
    if (kind === 'final' || found < 0) break;
    if (kind === 'delimiter') {
      if (parts.length === 0 && !line.endsWith('\r\n')) newline = '\n';
      const part = readPart(text, at, dash, newline);
      parts.push(part.part);
      at = part.end;
      isBehindPart = false;
    } else if (isBehindPart || (parts.length > 0 && line !== newline)) {
      throw new Error(`multipart: unexpected line ${JSON.stringify(line)}`);
    } else isBehindPart = parts.length > 0;
  }
  return parts;
}

function kindOf(line: string, dash: string): AfterBoundary {
  if (!line.startsWith(dash)) return 'other';
  const rest = line.slice(dash.length);
  if (/^--[ \t]*(?:\r?\n)?$/.test(rest)) return 'final';
  return /^[ \t]*\r?\n$/.test(rest) ? 'delimiter' : 'other';
}

function readPart(
  text: string,
  start: number,
  dash: string,
  newline: string,
): { readonly part: MimePart; readonly end: number } {
  const { headers, end: begin } = readHeaders(text, start);
  const malformed = headers.find(([name, value]) => !HEADER_NAME.test(name) || CONTROL.test(value));
  if (malformed) throw new Error(`malformed MIME header line: ${JSON.stringify(malformed.join(': '))}`);
  const end = endOfContent(text, begin, dash, newline);
  const content = text.slice(begin, end);
  if (headerOf(headers, 'Content-Transfer-Encoding')?.toLowerCase() !== 'quoted-printable') {
    return { part: { headers, content }, end };
  }
  const others = headers.filter(([name]) => name !== 'Content-Transfer-Encoding');
  return { part: { headers: others, content: decodeQuotedPrintable(content) }, end };
}

function endOfContent(text: string, begin: number, dash: string, newline: string): number {
  if (text.startsWith(dash, begin) && endsBoundary(text, begin + dash.length)) return begin;
  const mark = newline + dash;
  for (let at = text.indexOf(mark, begin); at >= 0; at = text.indexOf(mark, at + 1)) {
    if (endsBoundary(text, at + mark.length)) return at;
  }
  throw new Error('unexpected EOF');
}

/** Whether a boundary ends here, rather than being the beginning of a longer word. */
const endsBoundary = (text: string, at: number): boolean =>
  at === text.length || /^(?:[ \t\r\n]|--)/.test(text.slice(at, at + 2));
