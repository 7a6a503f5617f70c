import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { grantsOf } from '../../src/aws-provider/aws-api/permissions.ts';
import { actionOf, allCalls, PAGED_CALLS } from './calls.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/aws-calls.md');
const RUNS = {
  story: '[story](../test/aws/story/run.ts)',
  worlds: '[worlds](../test/aws/upstream/run.ts)',
};
const PAGING = '[pages](../test/aws/paging.test.ts)';

function page(): string {
  const rows = allCalls().map(({ service, call, runs }) => {
    const action = actionOf(service, call);
    const statements = [...new Set(grantsOf(action).map(({ statement }) => statement.sid))];
    const tests = [...runs.map((run) => RUNS[run]), ...(PAGED_CALLS.includes(call) ? [PAGING] : [])];
    return [`\`${action}\``, statements.join(', '), tests.join(', ')];
  });
  return [
    '# The calls of AWS',
    '',
    'All that the controller asks of AWS, the statement of its IAM policies that allows it, and the runs over HTTP that make',
    'the call: each fails when a call is missing, when one is made that is not listed here, and when the policies would not',
    'have allowed a call with the tags that it had. That answers in many pages are read to their end is shown with the account',
    'in process: moto gives one page. This page is written from `test/aws/calls.ts` by',
    '`UPDATE=1 vitest run test/aws/calls.test.ts`.',
    '',
    ...aligned([['call', 'allowed by', 'made in'], ...rows]),
    '',
  ].join('\n');
}

/** A table as the formatter wants it. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head, ...rest] = rows.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
  return [head ?? '', line(widths.map((width) => '-'.repeat(width))), ...rest];
}

test('docs/aws-calls.md lists every call with what allows it', async () => {
  if (process.env.UPDATE) await writeFile(PAGE, page());
  expect(await readFile(PAGE, 'utf8')).toBe(page());
});

test.each(allCalls())('$service $call is made in a run over HTTP', ({ runs }) => {
  expect(runs.length).toBeGreaterThan(0);
});
