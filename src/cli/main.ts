import type { CommandClass, CommandTable } from './command-table.ts';
import { renderError } from './error-text.ts';
import { EXIT } from './exit-codes.ts';
import { findCommand } from './find-command.ts';
import { commandHelp, firstSteps, overview } from './help-text.ts';
import { helpTopic } from './help-topic.ts';
import type { Io } from './io.ts';
import { nearest } from './nearest.ts';
import { styleFor } from './style.ts';
import { terminalOf } from './terminal.ts';
import { UsageError } from './user-error.ts';
import type { ProgramVersion } from './version.ts';

export interface Program {
  readonly commands: CommandTable;
  readonly version: ProgramVersion;
  /** The folder that holds package.json. */
  readonly root: string;
}

/** Runs one command line and answers the exit code. Nothing is thrown: whatever goes wrong is printed here. */
export async function main(program: Program, argv: readonly string[], io: Io): Promise<number> {
  const bin = io.env.KUBECTL_KARPENTER_ARGV0 === 'karpenter' ? 'karpenter' : 'kubectl karpenter';
  try {
    return await dispatch(program, argv, io, bin);
  } catch (thrown) {
    const error = io.signal.aborted && isAbort(thrown) ? io.signal.reason : thrown;
    const usage = await asUsageError(error, argv, program, bin);
    const style = styleFor(terminalOf(io.stderr, io.env, colorOf(argv)));
    const rendered = renderError(usage, { style, bin, version: program.version.text });
    if (rendered.text) io.stderr.write(rendered.text);
    return rendered.exitCode;
  }
}

async function dispatch(program: Program, argv: readonly string[], io: Io, bin: string): Promise<number> {
  const { command: name, rest } = findCommand(argv);
  const wantsHelp = beforeDashes(rest).some((word) => word === '--help' || word === '-h');
  if (name === undefined || name === 'help') {
    const topic = name === 'help' ? rest.find((word) => !word.startsWith('-')) : undefined;
    if (topic) return printHelp(topic, program, io, bin);
    if (rest.includes('--version')) return dispatch(program, ['version'], io, bin);
    const unknown = rest.find((word) => word.startsWith('-') && word !== '--help' && word !== '-h');
    if (unknown && !wantsHelp && name === undefined) throw new UsageError(`unknown flag: ${unknown}`);
    io.stdout.write(wantsHelp || name === 'help' ? overview(program.commands, { bin }) : firstSteps({ bin }));
    return EXIT.done;
  }
  if (wantsHelp) return printHelp(name, program, io, bin);
  const Command = await loadCommand(name, program, bin);
  const { oclifConfig } = await import('./oclif-config.ts');
  const config = await oclifConfig(program.root, bin, program.version);
  const command = new Command([...rest], config);
  return command.start(io);
}

async function printHelp(topic: string, program: Program, io: Io, bin: string): Promise<number> {
  const page = helpTopic(topic);
  if (page !== undefined) {
    io.stdout.write(page.replaceAll('{bin}', bin));
    return EXIT.done;
  }
  io.stdout.write(commandHelp(topic, await loadCommand(topic, program, bin), { bin }));
  return EXIT.done;
}

async function loadCommand(name: string, program: Program, bin: string): Promise<CommandClass> {
  const entry = Object.hasOwn(program.commands, name) ? program.commands[name] : undefined;
  if (entry) {
    const module = await entry.load();
    module.default.id = name;
    return module.default;
  }
  const near = nearest(name, Object.keys(program.commands));
  throw new UsageError(`unknown command "${name}"`, {
    code: 'KE1001',
    hints: near.length > 0 ? near.map((other) => `${bin} ${other}`) : [`${bin} --help`],
  });
}

/** oclif's parse errors in kubectl's words, with the nearest flag; anything else as it came. */
async function asUsageError(error: unknown, argv: readonly string[], program: Program, bin: string): Promise<unknown> {
  if (!(error instanceof Error) || !('oclif' in error) || error.name === 'UserError') return error;
  const { command: name } = findCommand(argv);
  const help = `${bin} ${name ?? ''} --help`.replace('  ', ' ');
  const { usageErrorOf } = await import('./parse-error.ts');
  const entry = name === undefined ? undefined : program.commands[name];
  const Command = entry ? (await entry.load()).default : undefined;
  const flags = Object.keys({ ...Command?.baseFlags, ...Command?.flags });
  return usageErrorOf(error, flags, help);
}

function colorOf(argv: readonly string[]): 'auto' | 'always' | 'never' {
  const words = beforeDashes(argv);
  const joined = words.find((word) => word.startsWith('--color='))?.slice('--color='.length);
  const value = joined ?? words[words.indexOf('--color') + 1];
  return value === 'always' || value === 'never' ? value : 'auto';
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'Interrupted');
}
