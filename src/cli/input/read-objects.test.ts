import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UserError } from '../user-error.ts';
import { readObjects } from './read-objects.ts';

const node = (name: string) => `apiVersion: v1\nkind: Node\nmetadata:\n  name: ${name}\n`;

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
    const found = await names(
      ['b.yaml', node('c')],
      ['a.yml', `---\n${node('a')}---\n---\n# nothing\n---\n${node('b')}`],
    );
    expect(found).toEqual(['Node/a', 'Node/b', 'Node/c']);
  });

  it('come out of Lists, typed lists and arrays', async () => {
    const item = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } };
    const found = await names(
      ['1.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [item] })],
      ['2.json', JSON.stringify({ apiVersion: 'v1', kind: 'NodeList', items: [{ metadata: { name: 'n' } }] })],
      ['3.json', JSON.stringify([item])],
    );
    expect(found).toEqual(['Node/a', 'Node/n', 'Node/a']);
  });

  it.each([
    ['spec: {containers: [{name: 1}]}', 'v1', 'Pod', 'cannot unmarshal number into Go struct field Container.spec'],
    ['spec: {containers: [{name: a, resources: {requests: {cpu: 1x}}}]}', 'v1', 'Pod', 'quantities must match'],
    ['status: {allocatable: {cpu: much}}', 'v1', 'Node', 'quantities must match'],
    [
      'spec: {weight: 1000, template: {spec: {requirements: []}}}',
      'karpenter.sh/v1',
      'NodePool',
      'spec.weight: Invalid value: 1000',
    ],
  ])('that the API would not take are refused in its words: %s', async (part, apiVersion, kind, words) => {
    const text = `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: a}\n${part}\n`;
    const refusal = await names(['a.yaml', text]).catch((error: UserError) => error);
    expect(refusal).toMatchObject({
      message: expect.stringMatching(/a\.yaml: document 1, line 2: \w+ "a" is invalid/),
      because: expect.arrayContaining([expect.stringContaining(words)]),
    });
  });

  const pool = (metadata: string) =>
    `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: ${metadata}\nspec: {weight: 1, replicas: 2, template: {spec: {nodeClassRef: {group: g.io, kind: K, name: d}, requirements: []}}}\n`;

  it('that break a rule of their kind are refused in its words', async () => {
    await expect(names(['a.yaml', pool('{name: a}')])).rejects.toMatchObject({
      message: expect.stringMatching(/a\.yaml: document 1, line 1: NodePool "a" is invalid/),
      because: ["spec: Invalid value: 'weight' is not supported on static NodePools"],
    });
  });

  it('that an API has stored were checked by it', async () => {
    expect(await names(['a.yaml', pool('{name: a, uid: 0-1}')])).toEqual(['NodePool/a']);
  });

  it('come from standard input for -', async () => {
    const objects = await readObjects(['-'], { readStdin: async () => node('piped') });
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(['piped']);
  });

  it('of other files than YAML and JSON are not looked at', async () => {
    expect(await names(['a.yaml', node('a')], ['README.md', '# not: [valid'])).toEqual(['Node/a']);
  });
});

describe('what is malformed', () => {
  it.each([
    [
      'broken YAML',
      `${node('a')}---\nkind: Node\n  bad: [1\n`,
      /f\.yaml: document 2, line 6, column \d+: not valid YAML/,
    ],
    ['broken JSON', '{\n  "kind": "Pod",\n  "oops"\n', /f\.yaml: document 1, line \d+, column \d+: not valid YAML/],
    ['a plain value', `${node('a')}---\njust words\n`, /document 2, line 6: .*found the string "just words"/],
    ['no kind', 'apiVersion: v1\nmetadata: {name: a}\n', /line 1: .*expected kind, found nothing/],
    ['no name', 'apiVersion: v1\nkind: Node\nmetadata: {}\n', /expected metadata\.name in this Node, found nothing/],
    ['a name that is a number', 'apiVersion: v1\nkind: Node\nmetadata: {name: 7}\n', /found the number 7/],
    ['a spec that is a list', `${node('a')}spec: []\n`, /expected spec of Node "a" to be a mapping, found a list/],
    ['a bad item', 'apiVersion: v1\nkind: List\nitems:\n- 1\n', /items\[0\]: .*found the number 1/],
    ['a key twice', 'apiVersion: v1\nkind: Node\nkind: Node\nmetadata: {name: a}\n', /line 3.*unique/],
  ])('is named with file, document and line: %s', async (_, text, message) => {
    await expect(names(['f.yaml', text])).rejects.toThrow(message);
  });

  it('is not shown when it is no text at all', async () => {
    await expect(names(['f.yaml', 'a\0b: [\u0001'])).rejects.toThrow(/f\.yaml: not a text file$/);
  });

  it('includes a folder without any object file and a path that is not there', async () => {
    await expect(names()).rejects.toMatchObject({ code: 'KE1103' });
    await expect(readObjects([join(folder, 'none')], { readStdin: async () => '' })).rejects.toMatchObject({
      code: 'KE1102',
    });
  });
});
