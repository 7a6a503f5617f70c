import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KNOWN_FAULTS } from './known-faults.ts';

const root = join(import.meta.dirname, '..');
const TEST_NAME = /\b(?:test|it)(?:\.each[^\n]*)?\(\s*['"`](B\d+): /g;

test('every known fault has a test that carries its number, and no test another one', () => {
  const files = globSync('{src,kwok-provider,test}/**/*.test.ts', { cwd: root });
  const tested = new Set(
    files.flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(TEST_NAME)].map(([, id]) => id)),
  );
  expect([...tested].sort()).toEqual(Object.keys(KNOWN_FAULTS).sort());
});

test('every number in the list of differences is that of a known fault', () => {
  const listed = readFileSync(join(root, 'test/parity/differences.md'), 'utf8').match(/\bB\d+\b/g) ?? [];
  expect(listed.filter((id) => !(id in KNOWN_FAULTS))).toEqual([]);
});
