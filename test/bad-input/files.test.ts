import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from './run-program.ts';

const NODE = 'apiVersion: v1\nkind: Node\nmetadata: {name: a}\n';
const DEEP = 10_000;
const nested = (start: string, middle: string, end: string) => `${start.repeat(DEEP)}${middle}${end.repeat(DEEP)}`;
const spec = (text: string) => `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":${text}}`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bad-input-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a file given with --from', () => {
  test.each<readonly [what: string, content: string | Uint8Array, words: string]>([
    ['that is no text', Buffer.from([0xff, 0xfe, 0, 1, 2]), 'not a text file in UTF-8'],
    [
      'in Latin-1',
      Buffer.from('apiVersion: v1\nkind: Node\nmetadata: {name: "caf\xe9"}\n', 'latin1'),
      'not a text file in UTF-8',
    ],
    ['with zero bytes', `${NODE}\0`, 'not a text file'],
    ['whose second document is broken', `${NODE}---\nkind: [\n`, 'document 2, line 6, column 1: not valid YAML'],
    ['with a key twice', 'kind: Node\nkind: Pod\n', 'line 2, column 1: not valid YAML: Map keys must be unique'],
    ['indented with tabs', 'a:\n\tb: 1\n', 'Tabs are not allowed as indentation'],
    ['that is a scalar', 'hello\n', 'expected a mapping with apiVersion, kind and metadata, found the string "hello"'],
    ['that is a list of lists', nested('[', '', ']'), 'items[0]: not a Kubernetes object'],
    ['of YAML that is nested without end', `a: ${nested('[', '', ']')}`, 'nested too deeply'],
    [
      'with aliases of aliases',
      `a: &a [${'x,'.repeat(9)}]\n${aliases(9)}`,
      'aliases stand for more than a file can hold',
    ],
    [
      'with an object without a name',
      'apiVersion: v1\nkind: Node\nmetadata: {}\n',
      'expected metadata.name in this Node',
    ],
    ['with a kind that is a number', 'apiVersion: v1\nkind: 5\n', 'expected kind, found the number 5'],
    [
      'with a field of the wrong type',
      spec('{"containers":[{"name":5}]}'),
      'cannot unmarshal number into Go struct field',
    ],
  ])('%s is refused, and where it is said', async (_, content, words) => {
    const file = join(folder, 'bad.yaml');
    await writeFile(file, content);
    const { code, stdout, stderr } = await runProgram(['plan', '--from', file]);
    expect(stderr).toMatch(/^error: .*bad\.yaml: /);
    expect(stderr).toContain(words);
    expect(stderr).toMatch(/code +KE1101/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  test.each<readonly [what: string, content: string]>([
    ['that is empty', ''],
    ['of nothing but comments', '# nothing\n---\n---\n'],
    ['with a byte order mark', `\uFEFF${NODE}`],
    ['with Windows line ends', NODE.replaceAll('\n', '\r\n')],
    ['with unknown fields, nested without end', spec(`{"containers":[],"x":${nested('{"a":', '1', '}')}}`)],
    ['with nulls', spec('{"containers":[],"nodeSelector":null,"tolerations":null,"affinity":null,"volumes":null}')],
    [
      'with keys that mean something to JavaScript',
      '{"apiVersion":"__proto__","kind":"constructor","metadata":{"name":"toString","labels":{"__proto__":"a","constructor":"b"}}}',
    ],
  ])('%s is read', async (_, content) => {
    const file = join(folder, 'fine.yaml');
    await writeFile(file, content);
    expect(await runProgram(['plan', '--quiet', '--from', file])).toMatchObject({ code: 0, stderr: '' });
  });

  test('is read through symbolic links, also from folders', async () => {
    const inside = join(folder, 'links');
    await mkdir(inside);
    await writeFile(join(folder, 'target'), NODE);
    await symlink('../target', join(inside, 'a.yaml'));
    await symlink('.', join(inside, 'again.yaml'));
    expect(await runProgram(['explain', 'node/a', '--from', inside])).toMatchObject({ code: 0 });
    await symlink('nowhere', join(inside, 'b.yaml'));
    const { stderr } = await runProgram(['plan', '--from', inside]);
    expect(stderr).toMatch(/^error: .*b\.yaml: no such file or folder/);
  });

  test('may not be a link that leads to itself, a folder without files, or nothing at all', async () => {
    const circle = join(folder, 'circle.yaml');
    await symlink(circle, circle);
    expect((await runProgram(['plan', '--from', circle])).stderr).toContain('symbolic links that lead in a circle');
    const empty = await mkdtemp(join(folder, 'empty-'));
    expect((await runProgram(['plan', '--from', empty])).stderr).toContain('no .yaml, .yml or .json file');
    expect((await runProgram(['plan', '--from', ''])).stderr).toMatch(/^error: "": no such file or folder/);
  });
});

test.each(['yesterday', '2026-13-45T99:99:99Z', '1e9', '', '2026'])('--now %j is wrong usage', async (now) => {
  const { code, stderr } = await runProgram(['plan', '--from', '-', '--now', now]);
  expect(code).toBe(2);
  expect(stderr).toContain('is no RFC 3339 time');
});

describe('the process', () => {
  const run = promisify(execFile);
  const program = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
  const shell = async (line: string) => {
    const command = `"${process.execPath}" --disable-warning=ExperimentalWarning "${program}" ${line}`;
    const { stdout, stderr } = await run('bash', ['-c', `${command}; echo "code \${PIPESTATUS[0]}"`]);
    return { stdout, stderr };
  };

  test('ends without a word when its reader has gone', async () => {
    const { stdout, stderr } = await shell('--help | true');
    expect({ stdout, stderr }).toEqual({ stdout: 'code 0\n', stderr: '' });
  });

  test('says when its answer can not be written', async () => {
    const { stdout, stderr } = await shell('plan --from /dev/null > /dev/full');
    expect(stdout).toBe('code 1\n');
    expect(stderr).toMatch(/^error: the answer can't be written: .*no space left.*\n$/);
  });

  test('says when its standard input is a folder, and takes a closed one for empty', async () => {
    expect(await shell('plan --from - < .')).toMatchObject({
      stderr: expect.stringContaining('standard input: is a folder'),
    });
    expect((await shell('plan --from - <&-')).stdout).toContain('code 0');
  });

  test('reads a large file in one go', { timeout: 60_000 }, async () => {
    const file = join(folder, 'large.json');
    const handle = await open(file, 'w');
    const node = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { a: 'x'.repeat(1e6) },
    });
    await handle.write('[');
    for (let i = 0; i < 60; i++) await handle.write(i === 0 ? node : `,${node}`);
    await handle.write(']');
    await handle.close();
    expect((await shell(`plan --from ${file}`)).stdout).toContain('code 0');
  });
});

function aliases(levels: number): string {
  const name = (level: number) => String.fromCharCode('a'.charCodeAt(0) + level);
  return Array.from(
    { length: levels },
    (_, i) => `${name(i + 1)}: &${name(i + 1)} [${`*${name(i)},`.repeat(9)}]\n`,
  ).join('');
}
