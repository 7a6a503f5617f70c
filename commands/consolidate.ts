import { Flags } from '@oclif/core';
import { EXIT } from '../src/cli/exit-codes.ts';
import { inputFlags } from '../src/cli/flags/input-flags.ts';
import { namedTableFlags } from '../src/cli/flags/output-flags.ts';
import { notFound, parseReferences } from '../src/cli/object-reference.ts';
import { disruptionText } from '../src/cli/render/disruption-text.ts';
import { UsageError } from '../src/cli/user-error.ts';
import { commandContext } from '../src/explain/command-report.ts';
import { disruptionOf, runMethods } from '../src/explain/disruption.ts';
import { disruptionReport } from '../src/explain/disruption-report.ts';
import { parseThreshold, type Threshold } from '../src/explain/threshold.ts';
import { nodePoolName, stateNodeName } from '../src/scheduling/state-node.ts';
import type { World } from '../src/scheduling/types.ts';
import { WorldCommand } from './world-command.ts';

export default class Consolidate extends WorldCommand {
  static override summary = 'what would be consolidated next, what it saves, what blocks the rest';
  static override description =
    `Shows which nodes the controller would disrupt next and what that saves, for every other node what it
would come to if it had the turn, most saved first, or what keeps it.
It only reads: the flag --dry-run says that you know.`;
  static override usage = 'consolidate --dry-run [flags]';
  static override examples = [
    '{bin} consolidate --dry-run',
    '{bin} consolidate --dry-run --from examples/saved-cluster',
    '{bin} consolidate --dry-run --nodepool general --min-savings 10%',
    '{bin} consolidate --dry-run --node worker-1 -o json',
  ];
  static override flags = {
    ...namedTableFlags,
    ...inputFlags,
    'dry-run': Flags.boolean({ description: 'required: nothing is changed' }),
    node: Flags.string({
      description: 'answer for this node only (repeatable)',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    nodepool: Flags.string({
      description: 'answer for the nodes of this NodePool only (repeatable)',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'min-savings': Flags.string({
      description: 'leave out what saves less: dollars an hour such as 0.05, or a share of the price such as 10%',
      helpValue: 'N',
    }),
    'exit-code': Flags.boolean({ description: 'exit 3 when something would be disrupted' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(Consolidate);
    if (!flags['dry-run']) {
      throw new UsageError('consolidate only shows what would be done, and wants to be asked so', {
        hints: [`${this.config.bin} consolidate --dry-run`],
      });
    }
    const atLeast = thresholdOf(flags['min-savings']);
    const { analysis } = await this.readWorld(flags);
    const disruption = disruptionOf(analysis);
    const report = disruptionReport({
      results: runMethods(disruption),
      verdict: (node) => disruption.verdict(node),
      context: commandContext(analysis.world, analysis.wellKnown),
      selects: this.selection(analysis.world, flags),
      ...(atLeast ? { atLeast } : {}),
    });
    if (flags.output === 'name') {
      this.print((report.chosen?.candidates ?? []).map((name) => `node/${name}\n`).join(''));
    } else {
      await this.answer(report, flags, () => disruptionText(report, this.view(flags, analysis.world.now)));
    }
    return flags['exit-code'] && report.chosen ? EXIT.negative : EXIT.done;
  }

  /** Which nodes are asked about. Throws a UserError for names that nothing has. */
  private selection(
    world: World,
    { node: nodes = [], nodepool: pools = [] }: { readonly node?: string[]; readonly nodepool?: string[] },
  ): (node: string) => boolean {
    const poolOf = new Map(world.nodes.map((node) => [stateNodeName(node), nodePoolName(node)]));
    const poolNames = world.pools.map(({ nodePool }) => nodePool.metadata.name);
    const { bin } = this.config;
    for (const ref of nodes.length > 0 ? parseReferences(['node', ...nodes]) : []) {
      if (!poolOf.has(ref.name)) throw notFound(ref, [...poolOf.keys()], bin);
    }
    for (const ref of pools.length > 0 ? parseReferences(['nodepool', ...pools]) : []) {
      if (!poolNames.includes(ref.name)) throw notFound(ref, poolNames, bin);
    }
    return (node) =>
      (nodes.length === 0 || nodes.includes(node)) && (pools.length === 0 || pools.includes(poolOf.get(node) ?? ''));
  }
}

function thresholdOf(text: string | undefined): Threshold | undefined {
  if (text === undefined) return undefined;
  const threshold = parseThreshold(text);
  if (!threshold) {
    throw new UsageError(`--min-savings "${text}" is neither dollars an hour nor a share`, {
      hints: ['--min-savings 0.05', '--min-savings 10%'],
    });
  }
  return threshold;
}
