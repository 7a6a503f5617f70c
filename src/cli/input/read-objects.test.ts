import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readObjects } from './read-objects.ts';

const pod = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'objects-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function names(...files: readonly (readonly [string, string])[]): Promise<readonly string[]> {
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  const objects = await readObjects([folder], { readStdin: async () => '' });
  return objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
}

describe('objects', () => {
  it('come from every document of every file, in order of name', async () => {
    const found = await names(['b.yaml', pod('c')], ['a.yml', `---\n${pod('a')}---\n---\n# nothing\n---\n${pod('b')}`]);
    expect(found).toEqual(['Pod/a', 'Pod/b', 'Pod/c']);
  });

  it('come out of Lists, typed lists and arrays', async () => {
    const item = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    const found = await names(
      ['1.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [item] })],
      ['2.json', JSON.stringify({ apiVersion: 'v1', kind: 'NodeList', items: [{ metadata: { name: 'n' } }] })],
      ['3.json', JSON.stringify([item])],
    );
    expect(found).toEqual(['Pod/a', 'Node/n', 'Pod/a']);
  });

  it('come from standard input for -', async () => {
    const objects = await readObjects(['-'], { readStdin: async () => pod('piped') });
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(['piped']);
  });

  it('of other files than YAML and JSON are not looked at', async () => {
    expect(await names(['a.yaml', pod('a')], ['README.md', '# not: [valid'])).toEqual(['Pod/a']);
  });
});

describe('what is malformed', () => {
  it.each([
    [
      'broken YAML',
      `${pod('a')}---\nkind: Pod\n  bad: [1\n`,
      /f\.yaml: document 2, line 6, column \d+: not valid YAML/,
    ],
    ['broken JSON', '{\n  "kind": "Pod",\n  "oops"\n', /f\.yaml: document 1, line \d+, column \d+: not valid YAML/],
    ['a plain value', `${pod('a')}---\njust words\n`, /document 2, line 6: .*found the string "just words"/],
    ['no kind', 'apiVersion: v1\nmetadata: {name: a}\n', /line 1: .*expected kind, found nothing/],
    ['no name', 'apiVersion: v1\nkind: Pod\nmetadata: {}\n', /expected metadata\.name in this Pod, found nothing/],
    ['a name that is a number', 'apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\n', /found the number 7/],
    ['a spec that is a list', `${pod('a')}spec: []\n`, /expected spec of Pod "a" to be a mapping, found a list/],
    ['a bad item', 'apiVersion: v1\nkind: List\nitems:\n- 1\n', /items\[0\]: .*found the number 1/],
    ['a key twice', 'apiVersion: v1\nkind: Pod\nkind: Node\nmetadata: {name: a}\n', /line 3.*unique/],
  ])('is named with file, document and line: %s', async (_, text, message) => {
    await expect(names(['f.yaml', text])).rejects.toThrow(message);
  });

  it('includes a folder without any object file and a path that is not there', async () => {
    await expect(names()).rejects.toMatchObject({ code: 'KE1103' });
    await expect(readObjects([join(folder, 'none')], { readStdin: async () => '' })).rejects.toMatchObject({
      code: 'KE1102',
    });
  });
});
