import { stripVTControlCharacters } from 'node:util';

/** How much further the rest of a line is indented than its beginning. */
const HANGING = 4;

const printed = (text: string): number => stripVTControlCharacters(text).length;

/** Breaks lines that are longer than `width` characters between words; what follows is indented below the beginning. */
export function wrapLines(text: string, width: number): string {
  if (!Number.isFinite(width)) return text;
  return text
    .split('\n')
    .map((line) => (printed(line) > width ? wrapped(line, width) : line))
    .join('\n');
}

function wrapped(line: string, width: number): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const rest = ' '.repeat(Math.min(indent.length + HANGING, Math.floor(width / 2)));
  const lines: string[] = [];
  let current = indent;
  let isEmpty = true;
  // Words with the spaces before them, so that gaps within a line stay as they are.
  for (const [word] of line.slice(indent.length).matchAll(/ *[^ ]+/g)) {
    if (!isEmpty && printed(current) + printed(word) > width) {
      lines.push(current);
      current = rest + word.trimStart();
    } else current += word;
    isEmpty = false;
  }
  return [...lines, current].join('\n');
}
