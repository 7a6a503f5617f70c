import { actionsOf, type Fleet } from './actions.ts';
import type { Comparison } from './compare.ts';
import type { Side } from './side.ts';
import type { World } from './world.ts';

const RESULTS = { yes: 'launched', deleted: 'given up', undecided: 'tried again and again' };

type Row = readonly (string | number)[];

/** docs/aws-parity.md: what was compared, in figures of our side, which are the other's too when nothing is unlisted. */
export function parityPage(worlds: readonly World[], ours: Side, { listed }: Comparison): string {
  const actions = actionsOf(ours);
  const rows = worlds.map(({ name }) => {
    const { fleets = [], templates = [] } = actions.get(name) ?? {};
    const launched = ours.outcomes.get(name)?.launched ?? 'undecided';
    return {
      name,
      result: RESULTS[launched],
      fleets: fleets.length,
      overrides: sum(fleets, overridesOf),
      templates: templates.length,
    };
  });
  const all = [
    ['worlds', rows.length],
    ...Object.values(RESULTS).map((result): Row => [`… ${result}`, rows.filter((row) => row.result === result).length]),
    ['CreateFleet requests', sum(rows, ({ fleets }) => fleets)],
    ['… their overrides', sum(rows, ({ overrides }) => overrides)],
    ['CreateLaunchTemplate requests', sum(rows, ({ templates }) => templates)],
  ];
  return [
    '# EC2, beside upstream',
    '',
    "What `node test/aws/upstream/run.ts` finds. Upstream's EC2 controller (v1.14.1, built from its Go module) and ours are let",
    'loose on the same worlds, each in an account of its own, with [moto](https://docs.getmoto.org) as AWS and the embedded',
    'Kubernetes API, all over HTTP. A world is an EC2NodeClass, a NodePool and a NodeClaim. Equal is what they ask of EC2',
    '(every field of CreateFleet and of the launch templates in it, user data line by line), and what they write into the',
    'cluster: the status of the class, the status, labels and annotations of the claim, the events.',
    '',
    ...table(['equal', 'number'], all),
    '',
    'Not equal is what [the table of differences](../test/parity/differences.md) lists:',
    '',
    ...[...listed.keys()].map((row) => `- ${row}`),
    '',
    'The run fails at any other difference, and when this page is not what it finds; `--write` writes it.',
    '',
    '## The worlds',
    '',
    ...table(
      ['world', 'claim', 'fleets', 'overrides', 'launch templates'],
      rows.map(({ name, result, fleets, overrides, templates }) => [name, result, fleets, overrides, templates]),
    ),
    '',
  ].join('\n');
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

const overridesOf = ({ request }: Fleet): number => sum(request.configs, ({ overrides }) => overrides.length);

/** As the formatter wants it: numbers to the left, too. */
function table(head: readonly string[], rows: readonly Row[]): readonly string[] {
  const lines = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(3, ...lines.map((line) => line[column]?.length ?? 0)));
  const text = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...rest] = lines;
  return [text(first), text(widths.map((width) => '-'.repeat(width))), ...rest.map(text)];
}
