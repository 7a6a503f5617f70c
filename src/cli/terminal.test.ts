import { expect, it } from 'vitest';
import { type ColorFlag, terminalOf } from './terminal.ts';

const stream = (isTTY: boolean) => ({ write: () => true, isTTY, columns: 100 });

it.each<[string, boolean, Record<string, string>, ColorFlag, boolean]>([
  ['a terminal', true, {}, 'auto', true],
  ['a pipe', false, {}, 'auto', false],
  ['NO_COLOR', true, { NO_COLOR: '1' }, 'auto', false],
  ['an empty NO_COLOR', true, { NO_COLOR: '' }, 'auto', true],
  ['a dumb terminal', true, { TERM: 'dumb' }, 'auto', false],
  ['FORCE_COLOR on a pipe', false, { FORCE_COLOR: '1' }, 'auto', true],
  ['NO_COLOR before FORCE_COLOR', false, { NO_COLOR: '1', FORCE_COLOR: '1' }, 'auto', false],
  ['the flag before NO_COLOR', false, { NO_COLOR: '1' }, 'always', true],
  ['the flag before a terminal', true, {}, 'never', false],
])('colours are right for %s', (_, isTTY, env, flag, color) => {
  expect(terminalOf(stream(isTTY), env, flag).color).toBe(color);
});

it('rewrites lines on a real terminal only', () => {
  expect(terminalOf(stream(true), { TERM: 'xterm' }).live).toBe(true);
  expect(terminalOf(stream(true), { TERM: 'xterm', CI: 'true' }).live).toBe(false);
  expect(terminalOf(stream(false), {}).live).toBe(false);
});

it('cuts no line that goes to a file', () => {
  expect(terminalOf(stream(false), {}).width).toBe(Number.POSITIVE_INFINITY);
  expect(terminalOf(stream(true), {}).width).toBe(100);
});
