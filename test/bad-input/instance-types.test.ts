import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from './run-program.ts';

const offering = {
  Price: 1,
  Available: true,
  Requirements: [
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] },
    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['z'] },
  ],
};
const type = {
  name: 'a',
  architecture: 'amd64',
  operatingSystems: ['linux'],
  resources: { cpu: '4', memory: '8Gi', pods: '110' },
  offerings: [offering],
};
const selling = (change: object) => JSON.stringify([{ ...type, offerings: [{ ...offering, ...change }] }]);
const giving = (resources: object) => JSON.stringify([{ ...type, resources: { ...type.resources, ...resources } }]);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function plan(catalogue: string) {
  const file = join(folder, 'types.json');
  await writeFile(file, catalogue);
  return runProgram([
    'plan',
    '--from',
    'examples/saved-cluster',
    '--now',
    '2026-03-01T12:00:00Z',
    '--instance-types',
    file,
  ]);
}

describe('a catalogue', () => {
  test.each([
    ['{', 'not JSON'],
    ['', 'not JSON'],
    ['{}', 'expected a list, got an object'],
    ['null', 'expected a list, got null'],
    ['[null]', '[0]: expected an object, got null'],
    [JSON.stringify([type, type]), '[1].name: "a" is in the list twice'],
    [JSON.stringify([{ ...type, name: '' }]), '[0].name: expected a non-empty string'],
    [JSON.stringify([{ ...type, offerings: {} }]), '[0].offerings: expected a list, got an object'],
    [selling({ Price: -1 }), '[0].offerings[0].Price: expected a price per hour, zero or more, got -1'],
    [selling({ Price: 'x' }), '[0].offerings[0].Price: expected a price per hour'],
    [selling({}).replace('"Price":1', '"Price":1e999'), '[0].offerings[0].Price: expected a price per hour'],
    [selling({ Requirements: [{ key: 'a', operator: 'Is' }] }), 'Requirements[0].operator: unknown operator "Is"'],
    [giving({ cpu: '-4' }), '[0].resources.cpu: expected zero or more, got "-4"'],
    [giving({ memory: 'lots' }), '[0].resources.memory: "lots" is not a quantity'],
    [giving({ memory: null }), '[0].resources.memory: expected a non-empty string, got null'],
  ])('%s is refused, and where it is said', async (catalogue, words) => {
    const { code, stderr } = await plan(catalogue);
    expect(stderr).toMatch(/^error: .*types\.json: /);
    expect(stderr).toContain(words);
    expect(stderr).toMatch(/code +KE1104/);
    expect(code).toBe(1);
  });

  test.each([
    ['[]'],
    [JSON.stringify([{ ...type, offerings: [] }])],
    [JSON.stringify([{ ...type, operatingSystems: [] }])],
    [JSON.stringify([{ ...type, name: '__proto__' }])],
    [selling({ Price: 1e308 })],
    [selling({ Requirements: [] })],
    [selling({ Requirements: [{ key: 'constructor', operator: 'Exists' }] })],
    [giving({ cpu: '1e300', memory: '1e300' })],
    [giving({ constructor: '1', toString: '1' })],
    [giving({ cpu: '0', pods: '0' })],
  ])('%s is reckoned with', async (catalogue) => {
    const { code, stdout, stderr } = await plan(catalogue);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toMatch(/NaN|undefined|Infinity|\[object/);
  });
});
