import { expect, it } from 'vitest';
import { wrapLines } from './wrap-lines.ts';

it.each([
  ['short', 10, 'short'],
  ['one two three', 8, 'one two\n    three'],
  ['  CODE  one two three', 14, '  CODE  one\n      two\n      three'],
  ['a-word-that-is-too-long b', 10, 'a-word-that-is-too-long\n    b'],
  ['\u001B[1mbold\u001B[0m words', 10, '\u001B[1mbold\u001B[0m words'],
  ['one two three', Number.POSITIVE_INFINITY, 'one two three'],
])('%j in %d columns', (text, width, lines) => {
  expect(wrapLines(text, width)).toBe(lines);
});
