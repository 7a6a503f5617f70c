import { expect, test } from 'vitest';
import { A_CLUSTER } from './a-cluster.ts';
import { runProgram } from './run-program.ts';

const SETTING = [
  '--from',
  '-',
  '--now',
  '2026-03-01T12:00:00Z',
  '--feature-gates',
  'NodeOverlay=true,CapacityBuffer=true',
];
const COMMANDS = [
  ['plan'],
  ['status'],
  ['consolidate', '--dry-run'],
  ['explain', 'pod', 'default/waiting'],
  ['explain', 'pod', 'default/running'],
  ['explain', 'node/node-1'],
  ['explain', 'nodepool/general'],
  ['explain', 'nodeclaim/claim-1'],
  ['plan', '-o', 'json'],
  ['status', '-o', 'json'],
];
/** Undefined takes the part out. */
const ODD_VALUES = [
  undefined,
  null,
  '',
  'x',
  0,
  -1,
  1e30,
  true,
  [],
  {},
  [null],
  [{}],
  { '': null },
  '__proto__',
  '1e400',
];
/** Prime, so that every part and every value has its turn. */
const EVERY = 61;

type Path = readonly (string | number)[];

function* pathsOf(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 1) yield path;
  if (typeof value !== 'object' || value === null) return;
  const keys: readonly (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  for (const key of keys) yield* pathsOf((value as Record<string | number, unknown>)[key], [...path, key]);
}

/** JSON with another value at the path. */
function changed(path: Path, odd: unknown): string {
  const copy = structuredClone(A_CLUSTER) as unknown as Record<string | number, unknown>;
  const key = path.at(-1) ?? '';
  let holder = copy;
  for (const step of path.slice(0, -1)) holder = holder[step] as typeof holder;
  if (odd !== undefined) holder[key] = odd;
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return JSON.stringify(copy);
}

test.each(COMMANDS)('the cluster of these tests has nothing odd in it: %s %s %s', async (...command) => {
  expect(await runProgram([...command.filter(Boolean), ...SETTING], JSON.stringify(A_CLUSTER))).toMatchObject({
    code: 0,
    stderr: '',
  });
});

test('whatever part of an object is odd, there is an answer or a message that says where', {
  timeout: 120_000,
}, async () => {
  const cases = [...pathsOf(A_CLUSTER)].flatMap((path) => ODD_VALUES.map((odd) => ({ path, odd })));
  for (let i = 0; i < cases.length; i += EVERY) {
    const { path, odd } = cases[i] ?? { path: [], odd: undefined };
    const command = COMMANDS[i % COMMANDS.length] ?? [];
    const { code, stdout, stderr } = await runProgram([...command, ...SETTING], changed(path, odd));
    const what = `${command.join(' ')} with ${path.join('.')} = ${JSON.stringify(odd)}: ${stderr}`;
    expect([0, 1], what).toContain(code);
    if (code === 1)
      expect(stderr, what).toMatch(/^error: (standard input: document 1, line 1: items\[\d+\]: |.* not found)/);
    expect(stderr, what).not.toMatch(/KE9001|\n {4}at /);
    expect(stdout, what).not.toMatch(/NaN|undefined|\[object/);
  }
});
