import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { commands } from '../../commands/index.ts';
import { cli } from '../support/run-cli.ts';

async function run(...args: readonly string[]) {
  await using program = await cli();
  return program.run(args);
}

const classes = await Promise.all(Object.values(commands).map(({ load }) => load()));
const OFFLINE = classes
  .flatMap(({ default: Command }) => (Command.examples ?? []).map(String))
  .filter((example) => example.includes('--from examples/'));

describe('help', () => {
  it('without arguments names the first steps', async () => {
    const { code, stdout } = await run();
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(8);
    expect(stdout).toContain('kubectl karpenter up --local');
  });

  it('lists every command', async () => {
    const { stdout } = await run('--help');
    for (const name of Object.keys(commands)) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it.each(Object.keys(commands))(
    'of %s has examples, flags and a usage line that begins with kubectl',
    async (name) => {
      const { code, stdout } = await run(name, '--help');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Examples:\n {2}kubectl karpenter/m);
      expect(stdout).toContain('--context=NAME');
      expect(stdout).toMatch(new RegExp(`^Usage:\n  kubectl karpenter ${name}`, 'm'));
    },
  );

  it('has examples that need no cluster', () => expect(OFFLINE.length).toBeGreaterThan(2));

  it.each(OFFLINE)('has examples that work as they stand: %s', async (example) => {
    const { code, stderr } = await run(...example.replace('{bin} ', '').split(' '));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('drops kubectl where the program is called karpenter', async () => {
    await using program = await cli();
    const { stdout } = await program.run(['plan', '--help'], { env: { KUBECTL_KARPENTER_ARGV0: 'karpenter' } });
    expect(stdout).toMatch(/^Usage:\n {2}karpenter plan/m);
  });

  it('tells about an error code', async () => {
    expect((await run('help', 'KE1402')).stdout).toMatch(/^KE1402: port busy/);
  });
});

describe('wrong usage exits 2 and offers what was meant', () => {
  it.each([
    [['staus'], 'unknown command "staus"', 'kubectl karpenter status'],
    [['plan', '--form', 'x'], 'unknown flag: --form', '--from'],
    [['plan', 'extra'], 'unexpected argument: extra', 'plan --help'],
    [['plan', '-o', 'xml'], 'expected --output=xml to be one of', 'plan --help'],
    [['explain', 'nodepol', 'x'], '"nodepol" is no type', 'nodepool'],
    [['consolidate'], 'wants to be asked so', 'consolidate --dry-run'],
    [['up', '--without', 'kubelet'], 'no such component', 'node-agent'],
    [['up', '--name', 'Bad_Name'], 'is no name for a cluster', 'lower-case'],
    [['plan', '--now', 'yesterday', '--from', 'examples/saved-cluster'], 'is no RFC 3339 time', '2026'],
  ])('%j', async (args, message, hint) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain('    at ');
  });
});

describe('flags of kubectl', () => {
  it('are accepted before and after the command', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    for (const args of [
      ['-n', 'x', 'version', '--client'],
      ['version', '--client', '--context', 'c', '-A', '-v', '4', '--request-timeout=5s'],
    ]) {
      expect((await run(...args)).stdout).toContain(`v${version}`);
    }
  });
});

describe('a kubeconfig', () => {
  it('that does not exist is named', async () => {
    const { code, stderr } = await run('status', '--kubeconfig', '/nowhere/config');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: kubeconfig \/nowhere\/config can't be used\n/);
  });

  it('without a context says how to get a cluster', async () => {
    const { code, stderr } = await run('status');
    expect(code).toBe(1);
    expect(stderr).toContain('kubectl karpenter up --local');
  });
});
