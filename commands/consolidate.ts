import { Flags } from '@oclif/core';
import { EXIT } from '../src/cli/exit-codes.ts';
import { inputFlags } from '../src/cli/flags/input-flags.ts';
import { namedTableFlags } from '../src/cli/flags/output-flags.ts';
import { notFound, parseReferences } from '../src/cli/object-reference.ts';
import { disruptionText } from '../src/cli/render/disruption-text.ts';
import { SlowProgress } from '../src/cli/slow-progress.ts';
import { UsageError } from '../src/cli/user-error.ts';
import { BlockedNodes } from '../src/explain/blocked-nodes.ts';
import { commandContext } from '../src/explain/command-report.ts';
import { disruptionOf, runMethods } from '../src/explain/disruption.ts';
import { disruptionReport } from '../src/explain/disruption-report.ts';
import { mergeReport } from '../src/explain/merge-report.ts';
import { nextSteps } from '../src/explain/next-steps.ts';
import { parseThreshold, type Threshold } from '../src/explain/threshold.ts';
import { nodePoolName, stateNodeName } from '../src/scheduling/state-node.ts';
import type { World } from '../src/scheduling/types.ts';
import { WorldCommand } from './world-command.ts';

/** Commands that are followed unless asked otherwise. */
const DEFAULT_STEPS = 25;

export default class Consolidate extends WorldCommand {
  static override summary = 'what would be consolidated next, what it saves, what blocks the rest';
  static override description =
    `Shows which nodes the controller would disrupt next and what that saves; what would go after that, command by
command, until nothing is left; for every other node what it would come to if it had the turn, or what keeps it and
what it costs, most to save first.
It only reads: the flag --dry-run says that you know.`;
  static override usage = 'consolidate --dry-run [flags]';
  static override examples = [
    '{bin} consolidate --dry-run',
    '{bin} consolidate --dry-run --from examples/saved-cluster',
    '{bin} consolidate --dry-run --nodepool general --min-savings 10%',
    '{bin} consolidate --dry-run --steps all',
    '{bin} consolidate --dry-run --together --node worker-1 --node worker-2',
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
    together: Flags.boolean({ description: 'what removing all nodes of --node at once would come to' }),
    'min-savings': Flags.string({
      description: 'leave out what saves less: dollars an hour such as 0.05, or a share of the price such as 10%',
      helpValue: 'N',
    }),
    steps: Flags.string({
      description: `follow what goes next for this many commands, or "all" of them (default: ${DEFAULT_STEPS}; none with --node or --nodepool)`,
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
    const asked = stepLimit(flags.steps);
    if (flags.together && (flags.node?.length ?? 0) < 2) {
      throw new UsageError('--together wants two nodes at least', {
        hints: [`${this.config.bin} consolidate --dry-run --together --node NAME --node NAME`],
      });
    }
    const { analysis } = await this.readWorld(flags);
    const selects = this.selection(analysis.world, flags);
    const isWhole = flags.node === undefined && flags.nodepool === undefined;
    const limit = asked ?? (isWhole ? DEFAULT_STEPS : undefined);
    const progress = new SlowProgress(flags.quiet ? () => {} : (line) => this.say(line), () => this.now());
    const disruption = disruptionOf(analysis);
    const context = commandContext(analysis.world, analysis.wellKnown);
    const blockedNodes = new BlockedNodes(analysis);
    const report = disruptionReport({
      results: runMethods(disruption),
      verdict: (node) => {
        progress.at(`looking at node ${node}`);
        return disruption.verdict(node);
      },
      context,
      blockedNodes,
      next:
        limit === undefined
          ? undefined
          : nextSteps({ analysis, limit, atLeast, onStep: (done) => progress.at(`what goes next: step ${done}`) }),
      merge:
        flags.together && flags.node
          ? mergeReport(flags.node, disruption.merge(flags.node), { context, blockedNodes })
          : undefined,
      selects,
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

function stepLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === 'all') return Number.POSITIVE_INFINITY;
  if (!/^\d+$/.test(text)) {
    throw new UsageError(`--steps "${text}" is neither a number nor "all"`, { hints: ['--steps 20', '--steps all'] });
  }
  return Number(text);
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
