import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NOT_IN_THIS_VERSION, specificationItems } from './specification-items.ts';

const root = join(import.meta.dirname, '..');
const TITLE = /\(\s*['"`]([5-9]\.\d+(?:\.\d+)?): /g;

test('every item of sections 5 to 9 of the specification has a test that carries its number', () => {
  // Tests of the EC2 provider carry the numbers of another specification.
  const files = globSync('{src,kwok-provider,test}/**/*.test.ts', { cwd: root }).filter(
    (file) => !/\baws\b/.test(file),
  );
  const tested = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(TITLE)].map(([, item = '']) => item),
  );
  const items = specificationItems(root);
  expect(items.length).toBeGreaterThan(100);
  const wanted = items.filter((item) => !(item in NOT_IN_THIS_VERSION));
  expect(wanted.filter((item) => !tested.includes(item))).toEqual([]);
  expect(tested.filter((item) => !items.includes(item))).toEqual([]);
});
