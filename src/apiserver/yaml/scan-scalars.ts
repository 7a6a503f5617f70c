import type { YamlCursor } from './yaml-cursor.ts';

/** Skips scalars, and says what is wrong with them (as libyaml's scanner goes through them). */

const ESCAPES = '0abt\tnvfre "\'/\\N_LP';
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

const skipEscape = (cursor: YamlCursor, start: ReturnType<() => YamlCursor['mark']>): void => {
  const kind = cursor.peek(1) ?? '';
  const digits = HEX_DIGITS[kind];
  if (digits === undefined && !ESCAPES.includes(kind)) throw cursor.fault('found unknown escape character', start);
  cursor.skip(2);
  if (digits === undefined) return;
  let code = 0;
  for (let at = 0; at < digits; at++) {
    const digit = cursor.peek(at) ?? '';
    if (!/^[\da-fA-F]$/.test(digit)) throw cursor.fault('did not find expected hexdecimal number', start);
    code = code * 16 + Number.parseInt(digit, 16);
  }
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    throw cursor.fault('found invalid Unicode character escape code', start);
  }
  cursor.skip(digits);
};

/** A scalar in quotes. @throws YamlFault */
export const skipQuoted = (cursor: YamlCursor, quote: string): void => {
  const start = cursor.mark;
  cursor.skip();
  for (;;) {
    if (cursor.atDocumentMark) throw cursor.fault('found unexpected document indicator', start);
    if (cursor.isEnd()) throw cursor.fault('found unexpected end of stream', start);
    while (!cursor.isSpace()) {
      if (quote === "'" && cursor.peek() === "'" && cursor.peek(1) === "'") cursor.skip(2);
      else if (cursor.peek() === quote) break;
      else if (quote === '"' && cursor.peek() === '\\') {
        if (cursor.isBreak(1)) {
          cursor.skip();
          cursor.skipBreak();
          break;
        }
        skipEscape(cursor, start);
      } else cursor.skip();
    }
    if (cursor.peek() === quote) break;
    while (cursor.isBlank() || cursor.isBreak()) {
      if (cursor.isBlank()) cursor.skip();
      else cursor.skipBreak();
    }
  }
  cursor.skip();
};

/** A scalar without quotes. Returns whether it went over more than one line and ended at the beginning of one. */
export const skipPlain = (cursor: YamlCursor, indent: number, flow: boolean): boolean => {
  const start = cursor.mark;
  let leading = false;
  for (;;) {
    if (cursor.atDocumentMark || cursor.peek() === '#') break;
    while (!cursor.isSpace()) {
      const char = cursor.peek() ?? '';
      if ((char === ':' && cursor.isSpace(1)) || (flow && ',?[]{}'.includes(char))) break;
      leading = false;
      cursor.skip();
    }
    if (!cursor.isBlank() && !cursor.isBreak()) break;
    while (cursor.isBlank() || cursor.isBreak()) {
      if (cursor.isBreak()) {
        cursor.skipBreak();
        leading = true;
        continue;
      }
      if (leading && cursor.column < indent && cursor.peek() === '\t') {
        throw cursor.fault('found a tab character that violates indentation', start);
      }
      cursor.skip();
    }
    if (!flow && cursor.column < indent) break;
  }
  return leading;
};

/** A literal or folded scalar inside a block of `parent` columns. @throws YamlFault */
export const skipBlock = (cursor: YamlCursor, parent: number): void => {
  const start = cursor.mark;
  cursor.skip();
  const increment = skipHeader(cursor, start);
  while (cursor.isBlank()) cursor.skip();
  cursor.skipComment();
  if (!cursor.isEnd() && !cursor.isBreak()) throw cursor.fault('did not find expected comment or line break', start);
  if (cursor.isBreak()) cursor.skipBreak();
  let indent = increment === 0 ? 0 : Math.max(parent, 0) + increment;
  indent = skipBlockBreaks(cursor, indent, parent, start);
  while (cursor.column === indent && !cursor.isEnd()) {
    while (!cursor.isEnd() && !cursor.isBreak()) cursor.skip();
    if (cursor.isBreak()) cursor.skipBreak();
    skipBlockBreaks(cursor, indent, parent, start);
  }
};

/** How much deeper the text of a block scalar lies, where its header says so. */
const skipHeader = (cursor: YamlCursor, start: YamlCursor['mark']): number => {
  let increment = 0;
  for (let signs = 0, digits = 0; ; ) {
    const char = cursor.peek() ?? '';
    if ((char === '+' || char === '-') && signs === 0) signs++;
    else if (/^\d$/.test(char) && digits === 0) {
      if (char === '0') throw cursor.fault('found an indentation indicator equal to 0', start);
      increment = Number(char);
      digits++;
    } else return increment;
    cursor.skip();
  }
};

/** Empty lines of a block scalar. Returns its indentation, found out if it was 0. */
const skipBlockBreaks = (cursor: YamlCursor, indent: number, parent: number, start: YamlCursor['mark']): number => {
  let deepest = 0;
  for (;;) {
    while ((indent === 0 || cursor.column < indent) && cursor.peek() === ' ') cursor.skip();
    deepest = Math.max(deepest, cursor.column);
    if ((indent === 0 || cursor.column < indent) && cursor.peek() === '\t') {
      throw cursor.fault('found a tab character where an indentation space is expected', start);
    }
    if (!cursor.isBreak()) break;
    cursor.skipBreak();
  }
  return indent === 0 ? Math.max(deepest, parent + 1, 1) : indent;
};
