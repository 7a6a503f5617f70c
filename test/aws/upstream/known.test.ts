import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { KNOWN } from './known.ts';

const TABLE = resolve(import.meta.dirname, '../../parity/differences.md');

test('what the comparison of worlds on EC2 lets pass stands in the table of differences', async () => {
  const rows = (await readFile(TABLE, 'utf8'))
    .split('\n')
    .map((line) => line.split(' | ')[0]?.replace(/^\| /, '').trim());
  for (const { row } of KNOWN) expect(rows).toContain(row);
});
