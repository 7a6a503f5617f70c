/**
 * kubectl's completion protocol: one candidate a line as `value<TAB>description`, and last `:N`, a set of directives as
 * Cobra numbers them (4: don't offer file names).
 */

import { READ_CATALOGUE_NAMES } from './catalogue-names.ts';
import type { CommandTable } from './command-table.ts';
import type { NameKind } from './live-names.ts';
import { OBJECT_TYPES } from './object-reference.ts';

const NO_FILES = ':4';
const FILES = ':0';
/** Flags whose value is a path. */
const PATH_FLAGS = new Set([
  '--from',
  '-f',
  '--filename',
  '--instance-types',
  '--kubeconfig',
  '--certificate-authority',
  '--client-key',
]);
const FLAG_VALUES: Readonly<Record<string, readonly string[]>> = {
  '-o': ['json', 'yaml', 'wide', 'name'],
  '--output': ['json', 'yaml', 'wide', 'name'],
  '--catalog': READ_CATALOGUE_NAMES,
  '--color': ['auto', 'always', 'never'],
  '--without': ['scheduler', 'controllers', 'node-agent', 'karpenter'],
};
const LIVE_FLAGS: Readonly<Record<string, NameKind>> = {
  '--context': 'context',
  '--node': 'node',
  '--nodepool': 'nodepool',
  '--pool': 'nodepool',
  '--pod': 'pod',
  '--nodeclass': 'nodeclass',
  '-n': 'namespace',
  '--namespace': 'namespace',
};

export interface CompletionDeps {
  readonly commands: CommandTable;
  /** Names from the current cluster; quick, and empty rather than an error. */
  readonly names: (kind: NameKind) => Promise<readonly string[]>;
}

/** `words` are what was typed after the plugin's name; the last one, perhaps empty, is being completed. */
export async function completions(words: readonly string[], { commands, names }: CompletionDeps): Promise<string> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const previous = before.at(-1) ?? '';
  if (PATH_FLAGS.has(previous)) return `${FILES}\n`;
  const values = FLAG_VALUES[previous];
  if (values) return answer(plain(values), current);
  const live = LIVE_FLAGS[previous];
  if (live) return answer(plain(await names(live)), current);
  const [name, ...typed] = before.filter((word) => !word.startsWith('-'));
  const entry = name === undefined ? undefined : commands[name];
  if (current.startsWith('-')) return answer(await flagsOf(entry), current);
  if (name === undefined) return answer([...commandWords(commands), ['help', 'help about a command']], current);
  if (!entry?.words) return `${NO_FILES}\n`;
  const [typeWord] = typed;
  if (typeWord === undefined) return answer(plain(entry.words), current);
  const kind = entry.names?.[typeWord] ?? OBJECT_TYPES.find((type) => type.names.includes(typeWord))?.name;
  return answer(kind ? plain(await names(kind)) : [], current);
}

type Candidate = readonly [value: string, description?: string];

const plain = (values: readonly string[]): Candidate[] => values.map((value) => [value]);

function commandWords(commands: CommandTable): Candidate[] {
  return Object.entries(commands).map(([name, { summary }]) => [name, summary]);
}

async function flagsOf(entry: CommandTable[string] | undefined): Promise<Candidate[]> {
  if (!entry) return [['--help', 'show what the command takes']];
  const Command = (await entry.load()).default;
  const flags = { ...Command.baseFlags, ...Command.flags } as Record<
    string,
    { description?: string; hidden?: boolean }
  >;
  return Object.entries(flags)
    .filter(([flag, { hidden }]) => !hidden && flag.length > 1)
    .map(([flag, { description }]) => [`--${flag}`, description]);
}

function answer(candidates: readonly Candidate[], prefix: string): string {
  const lines = candidates
    .filter(([value]) => value.startsWith(prefix))
    .map(([value, description]) => (description ? `${value}\t${description}` : value));
  return `${[...lines, NO_FILES].join('\n')}\n`;
}
