import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { kubectlFinding } from './kubectl-findings.ts';
import { programFindings } from './program-findings.ts';

const { signal } = new AbortController();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'doctor-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A script in a folder of its own; answers the folder. */
async function script(where: string, name: string, text = 'exit 0'): Promise<string> {
  const bin = join(folder, where, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`);
  await chmod(join(bin, name), 0o755);
  return bin;
}

async function pathFinding(...path: readonly string[]) {
  const root = join(folder, 'own');
  const found = await programFindings({ root, path: path.join(':'), nodeVersion: 'v24.1.0' });
  return found.find(({ check }) => check === 'PATH');
}

test('Node.js has to be new enough', async () => {
  const input = { root: folder, path: '' };
  const verdictOf = async (nodeVersion: string) => (await programFindings({ ...input, nodeVersion }))[0]?.verdict;
  expect([await verdictOf('v24.0.0'), await verdictOf('v22.9.1')]).toEqual(['pass', 'fail']);
});

test('kubectl runs whichever kubectl-karpenter is first on the PATH', async () => {
  const own = await script('own', 'kubectl-karpenter');
  const other = await script('other', 'kubectl-karpenter');
  expect(await pathFinding('/nowhere', folder)).toMatchObject({
    verdict: 'warn',
    message: expect.stringMatching(/^no /),
  });
  expect(await pathFinding(own, other)).toMatchObject({
    verdict: 'pass',
    details: [`hidden behind it: ${other}/kubectl-karpenter`],
  });
  expect(await pathFinding(other, own)).toMatchObject({
    verdict: 'warn',
    message: expect.stringContaining(`${other}/kubectl-karpenter is first and is another program`),
    fix: [`export PATH="${own}:$PATH"`, `or remove ${other}/kubectl-karpenter`],
  });
});

test('a link to this program is this program', async () => {
  const own = await script('own', 'kubectl-karpenter');
  await symlink(join(own, 'kubectl-karpenter'), join(folder, 'kubectl-karpenter'));
  expect(await pathFinding(folder)).toMatchObject({ verdict: 'pass' });
});

test('what is not executable is not found', async () => {
  await writeFile(join(folder, 'kubectl-karpenter'), '');
  expect(await pathFinding(folder)).toMatchObject({ message: expect.stringMatching(/^no /) });
});

const version = (gitVersion: string) => `echo '{"clientVersion":{"gitVersion":"${gitVersion}"}}'`;

test.each([
  ['v1.35.0', 'v1.36.3', 'pass'],
  ['v1.37.0', 'v1.36.3-eks-1', 'pass'],
  ['v1.34.9', 'v1.36.3', 'warn'],
  ['v1.34.9', undefined, 'pass'],
])('a kubectl %s with a server %s: %s', async (own, serverVersion, verdict) => {
  const path = await script('kubectl', 'kubectl', version(own));
  expect(await kubectlFinding({ path, env: {}, serverVersion }, signal)).toMatchObject({ verdict });
});

test('without kubectl it is said what that means', async () => {
  expect(await kubectlFinding({ path: folder, env: {}, serverVersion: undefined }, signal)).toMatchObject({
    verdict: 'warn',
  });
});

test('a kubectl that does not run is told', async () => {
  const path = await script('kubectl', 'kubectl', 'exit 1');
  expect(await kubectlFinding({ path, env: {}, serverVersion: undefined }, signal)).toMatchObject({
    verdict: 'fail',
    message: `${path}/kubectl does not tell its version`,
  });
});
