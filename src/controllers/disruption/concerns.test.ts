import { expect, test } from 'vitest';
import { nodePool } from '../../../test/factories/index.ts';
import type { Logger } from '../../logging/logger.ts';
import { Concerns } from './concerns.ts';

function concerns() {
  const lines: string[] = [];
  const log: Logger = {
    debug: (message, fields) => lines.push(`${message} ${JSON.stringify(fields)}`),
    info: (message) => lines.push(message),
    error: (message, error) => lines.push(`${message}: ${error instanceof Error ? error.message : error}`),
  };
  let now = 0;
  const made = new Concerns({ clock: { now: () => now }, log });
  return { lines, made, wait: (ms: number) => (now += ms) };
}

test('7.1.2: a budget that can not be read is told, once for as long as it is there', () => {
  const { lines, made } = concerns();
  const good = nodePool({ metadata: { name: 'good' } });
  const bad = nodePool({
    metadata: { name: 'bad' },
    spec: { disruption: { budgets: [{ nodes: '1', schedule: '61 * * * *', duration: '1h' }] } },
  });
  made.budgets([good, bad]);
  made.budgets([good, bad]);
  expect(lines).toEqual([
    expect.stringMatching(
      /^detected disruption budget errors: invalid disruption budgets in nodepool bad, spec\.disruption\.budgets\[0\]\.schedule "61 \* \* \* \*"/,
    ),
  ]);
  made.budgets([good]);
  made.budgets([bad]);
  expect(lines).toHaveLength(2);
});

test('7.1.5: a stage that stood still for more than a quarter of an hour is told', () => {
  const { lines, made, wait } = concerns();
  made.runs('Drift');
  wait(900_000);
  made.runs('Drift');
  expect(lines).toEqual([]);
  wait(900_001);
  made.runs('Drift');
  expect(lines).toEqual(['abnormal time between runs {"name":"Drift","time_since":"900.001s"}']);
});
