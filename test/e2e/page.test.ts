import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { PAGE, pageWith } from './page.ts';
import { isFast, readReference } from './reference.ts';

it('tells in docs/e2e.md what is recorded', async () => {
  const page = await readFile(PAGE, 'utf8');
  expect(page).toBe(pageWith(await readReference(), page));
});

it('runs only specs in CI that have passed', async () => {
  const reference = await readReference();
  const fast = Object.keys(reference).filter((spec) => isFast(spec, reference));
  expect(fast.length).toBeGreaterThan(0);
  expect(fast.filter((spec) => !reference[spec]?.ours?.passed)).toEqual([]);
});
