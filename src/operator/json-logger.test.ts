import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { JsonLogger } from './json-logger.ts';
import { logOutputs } from './log-outputs.ts';
import { reconcileFields } from './reconcile-fields.ts';

let clock: VirtualClock;
let lines: Record<string, unknown>[];
const logger = (level: 'debug' | 'info' | 'error' = 'info', commit?: string) =>
  new JsonLogger({
    level,
    clock,
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
    ...(commit ? { commit } : {}),
  });
beforeEach(() => {
  clock = new VirtualClock();
  lines = [];
});

test('10.5: a line has upstream’s field names, and says in which reconciliation it was written', async () => {
  const log = logger('info', 'abc1234');
  const fields = { ...reconcileFields('nodeclaim.lifecycle', 'default-x7'), reconcileID: 'id' };
  await log.within(fields, async () => {
    await Promise.resolve();
    log.info('registered nodeclaim', { Node: { name: 'n' } });
  });
  log.error('Reconciler error', new Error('no luck'));
  expect(lines).toEqual([
    {
      level: 'INFO',
      time: '2026-01-01T00:00:00.000Z',
      logger: 'controller',
      message: 'registered nodeclaim',
      commit: 'abc1234',
      controller: 'nodeclaim.lifecycle',
      controllerGroup: 'karpenter.sh',
      controllerKind: 'NodeClaim',
      NodeClaim: { name: 'default-x7' },
      namespace: '',
      name: 'default-x7',
      reconcileID: 'id',
      Node: { name: 'n' },
    },
    {
      level: 'ERROR',
      time: '2026-01-01T00:00:00.000Z',
      logger: 'controller',
      message: 'Reconciler error',
      commit: 'abc1234',
      error: 'no luck',
    },
  ]);
});

test('10.5: an object of a namespace is named by both, and a loop by neither kind nor group', () => {
  expect(reconcileFields('capacitybuffer', 'a/b')).toEqual({
    controller: 'capacitybuffer',
    controllerGroup: 'autoscaling.x-k8s.io',
    controllerKind: 'CapacityBuffer',
    CapacityBuffer: { name: 'b', namespace: 'a' },
    namespace: 'a',
    name: 'b',
  });
  expect(reconcileFields('provisioner', 'all')).toEqual({ controller: 'provisioner', namespace: '', name: '' });
});

test.each([
  ['debug', ['DEBUG', 'INFO', 'ERROR']],
  ['info', ['INFO', 'ERROR']],
  ['error', ['ERROR']],
] as const)('10.1: with --log-level %s the lines of %j are written', (level, expected) => {
  const log = logger(level);
  log.debug('a');
  log.info('b');
  log.error('c', new Error('d'));
  expect(lines.map((line) => line.level)).toEqual(expected);
});

test('10.5: of equal messages the first hundred of a second are written, then each hundredth', async () => {
  const log = logger();
  for (let i = 1; i <= 350; i++) log.info('same', { i });
  log.info('other');
  expect(
    lines
      .filter(({ message }) => message === 'same')
      .slice(100)
      .map(({ i }) => i),
  ).toEqual([200, 300]);
  expect(lines.at(-1)?.message).toBe('other');
  await clock.advance(1000);
  log.info('same', { i: 'again' });
  expect(lines.at(-1)?.i).toBe('again');
});

test('10.1: --log-output-paths may be several, and files are appended to', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'logs-'));
  try {
    const file = join(folder, 'out.log');
    const written: string[] = [];
    const streams = {
      stdout: (text: string) => void written.push(`stdout ${text}`),
      stderr: (text: string) => void written.push(`stderr ${text}`),
    };
    logOutputs(['stdout', file], ['stderr'], streams).write('a\n');
    logOutputs([`file://${file}`, 'stderr'], ['stderr'], streams).write('b\n');
    expect(await readFile(file, 'utf8')).toBe('a\nb\n');
    expect(written).toEqual(['stdout a\n', 'stderr b\n']);
    expect(() => logOutputs([join(folder, 'no', 'such')], [], streams)).toThrow('open sink');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('10.1: what can not be written is told to --log-error-output-paths', () => {
  const told: string[] = [];
  const fail = (): void => {
    throw new Error('the disk is full');
  };
  logOutputs(['stdout'], ['stderr'], { stdout: fail, stderr: (text) => void told.push(text) }).write('a\n');
  expect(told).toEqual(['write error: the disk is full\n']);
});
