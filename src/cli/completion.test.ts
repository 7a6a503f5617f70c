import { describe, expect, it } from 'vitest';
import type { CommandTable } from './command-table.ts';
import { completions } from './completion.ts';

const load = () => Promise.reject(new Error('no command code is needed for words'));
const commands: CommandTable = {
  explain: { group: 'See', summary: 'why', load, words: ['pod', 'node'] },
  plan: { group: 'Try', summary: 'what next', load },
};
const live: Record<string, readonly string[]> = {
  pod: ['default/web-1', 'prod/db-0'],
  node: ['n1'],
  ec2nodeclass: ['gpu'],
  context: ['prod', 'test'],
};

const complete = (...words: readonly string[]) =>
  completions(words, { commands, names: async (kind) => live[kind] ?? [] });

describe('completion', () => {
  it.each([
    [[''], 'explain\twhy\nplan\twhat next\nhelp\thelp about a command\n:4\n'],
    [['pl'], 'plan\twhat next\n:4\n'],
    [['explain', ''], 'pod\nnode\n:4\n'],
    [['explain', 'po', ''], 'default/web-1\nprod/db-0\n:4\n'],
    [['explain', 'node', 'n'], 'n1\n:4\n'],
    [['plan', '--context', 't'], 'test\n:4\n'],
    [['plan', '--pod', 'd'], 'default/web-1\n:4\n'],
    [['explain', 'ec2nc', ''], 'gpu\n:4\n'],
    [['plan', '-o', 'j'], 'json\n:4\n'],
    [['plan', '--from', ''], ':0\n'],
    [['plan', ''], ':4\n'],
    [['explain', 'widget', ''], ':4\n'],
  ])('of %j', async (words, expected) => {
    expect(await complete(...words)).toBe(expected);
  });
});
