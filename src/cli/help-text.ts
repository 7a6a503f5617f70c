/** Help pages: the overview needs no command code at all, so that it is there at once. */
import type { CommandGroup, CommandTable } from './command-table.ts';

const GROUPS: Readonly<Record<CommandGroup, string>> = {
  See: 'See and explain',
  Try: 'Try without touching anything',
  Run: 'Run',
  Plugin: 'The plugin',
};

export interface HelpContext {
  /** `kubectl karpenter` or `karpenter`. */
  readonly bin: string;
}

/** What is printed when nothing is asked for. */
export function firstSteps({ bin }: HelpContext): string {
  return `Karpenter, the Kubernetes node autoscaler, on your machine and at your command line.

  ${bin} up --local               a cluster with Karpenter in it, in a second
  ${bin} status                   pools, nodes, prices, pending pods
  ${bin} explain pod NS/NAME      why a pod finds no node

All commands: ${bin} --help
`;
}

export function overview(table: CommandTable, { bin }: HelpContext): string {
  const names = Object.keys(table);
  const width = Math.max(...names.map((name) => name.length)) + 3;
  const sections = (Object.keys(GROUPS) as CommandGroup[]).flatMap((group) => {
    const lines = names
      .filter((name) => table[name]?.group === group)
      .map((name) => `  ${name.padEnd(width)}${table[name]?.summary}`);
    return lines.length > 0 ? [`${GROUPS[group]}:\n${lines.join('\n')}`] : [];
  });
  return `Karpenter, the Kubernetes node autoscaler, on your machine and at your command line.

${sections.join('\n\n')}

Usage:
  ${bin} COMMAND [TYPE NAME] [flags]

Readers take kubectl's connection flags (--context, --kubeconfig, -n, …) or --from FILES, and -o json|yaml|wide.
"${bin} COMMAND --help" tells more about one command, "${bin} help exit-codes" what scripts want to know.
`;
}

/** As much of oclif's flag definition as the page shows. */
interface FlagDefinition {
  readonly char?: string;
  readonly description?: string;
  readonly helpValue?: string | string[];
  readonly helpGroup?: string;
  readonly hidden?: boolean;
  readonly type?: string;
  readonly default?: unknown;
}

/** As much of a command class as the page shows. */
export interface DescribedCommand {
  readonly description?: string | undefined;
  readonly summary?: string | undefined;
  readonly usage?: string | string[] | undefined;
  readonly examples?: readonly unknown[];
  readonly flags: Readonly<Record<string, unknown>>;
  readonly baseFlags?: Readonly<Record<string, unknown>>;
}

export function commandHelp(name: string, command: DescribedCommand, { bin }: HelpContext): string {
  const usage = typeof command.usage === 'string' ? command.usage : `${name} [flags]`;
  const own = flagLines(ungrouped(command.flags));
  const aws = flagLines(command.flags, 'EC2 PROVIDER');
  const cluster = flagLines(command.baseFlags ?? {}, 'CLUSTER');
  const output = flagLines(command.baseFlags ?? {}, 'OUTPUT');
  const examples = (command.examples ?? []).map((example) => `  ${String(example).replaceAll('{bin}', bin)}`);
  const parts = [
    (command.description ?? command.summary ?? '').trim(),
    examples.length > 0 ? `Examples:\n${examples.join('\n')}` : '',
    own.length > 0 ? `Flags:\n${own.join('\n')}` : '',
    aws.length > 0 ? `With --provider aws:\n${aws.join('\n')}` : '',
    output.length > 0 ? `Output:\n${output.join('\n')}` : '',
    cluster.length > 0 ? `Cluster, as kubectl's:\n${cluster.join('\n')}` : '',
    `Usage:\n  ${bin} ${usage}`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function ungrouped(flags: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(flags as Record<string, FlagDefinition>).filter(([, flag]) => !flag.helpGroup),
  );
}

function flagLines(flags: Readonly<Record<string, unknown>>, group?: string): string[] {
  const shown = Object.entries(flags as Record<string, FlagDefinition>)
    .filter(([, flag]) => !flag.hidden && (group === undefined || flag.helpGroup === group))
    .map(([name, flag]) => ({ head: flagHead(name, flag), flag }));
  const width = Math.max(0, ...shown.map(({ head }) => head.length)) + 3;
  return shown.map(({ head, flag }) => {
    const fallback =
      (typeof flag.default === 'string' && flag.default !== '') || typeof flag.default === 'number'
        ? ` (default ${flag.default})`
        : '';
    return `  ${head.padEnd(width)}${flag.description ?? ''}${fallback}`;
  });
}

function flagHead(name: string, flag: FlagDefinition): string {
  const value = flag.type === 'boolean' ? '' : `=${flag.helpValue ?? 'VALUE'}`;
  const long = name.length > 1 ? `--${name}${value}` : '';
  const short = flag.char ? `-${flag.char}${long ? ', ' : ` ${flag.helpValue ?? ''}`}` : '    ';
  return short + long;
}
