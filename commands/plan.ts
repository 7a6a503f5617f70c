import { Flags } from '@oclif/core';
import { EXIT } from '../src/cli/exit-codes.ts';
import { inputFlags } from '../src/cli/flags/input-flags.ts';
import { tableFlags } from '../src/cli/flags/output-flags.ts';
import { readObjects } from '../src/cli/input/read-objects.ts';
import { planDiffText } from '../src/cli/render/plan-diff-text.ts';
import { planText } from '../src/cli/render/plan-text.ts';
import { UsageError } from '../src/cli/user-error.ts';
import { planReport } from '../src/explain/plan-report.ts';
import { type RenderFlags, WorldCommand, type WorldFlags } from './world-command.ts';

interface DiffFlags {
  readonly diff?: boolean;
  readonly filename?: readonly string[] | undefined;
  readonly delete?: readonly string[] | undefined;
}

export default class Plan extends WorldCommand {
  static override summary = 'what would be launched for the pods that wait, touching nothing';
  static override description =
    `Shows what the controller would do next with the pods that wait for a node: which nodes it would launch, which pods
find room on nodes that are there, and which find no place.
With --diff, what an edit would change before it is applied: -f has NodePools, NodeOverlays or CapacityBuffers as they
are to be, --delete names those that are to go. It tells which fields change, what the API or the controller would
refuse, which nodes drift and why, how long replacing them takes under the budgets, what is launched, which pods get
or lose a place, and the cost.
It only reads.`;
  static override usage = 'plan [flags]';
  static override examples = [
    '{bin} plan',
    '{bin} plan --from examples/saved-cluster',
    '{bin} plan --from - -o json',
    '{bin} plan --diff -f examples/edited-pool.yaml',
    '{bin} plan --diff --delete nodepool/batch',
  ];
  static override flags = {
    ...tableFlags,
    ...inputFlags,
    filename: Flags.string({
      char: 'f',
      description: 'a file, a folder or - with edited objects, for --diff (repeatable)',
      helpValue: 'PATH',
      multiple: true,
      multipleNonGreedy: true,
    }),
    delete: Flags.string({
      description:
        'an object that is to go, for --diff: nodepool/NAME, nodeoverlay/NAME, capacitybuffer/NS/NAME (repeatable)',
      helpValue: 'TYPE/NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    diff: Flags.boolean({ description: 'what -f and --delete would change; exit 3 when they differ' }),
    'pass-time': Flags.string({
      description: 'how long the pass may take; pods that it does not reach go first in the next',
      helpValue: 'DURATION',
      default: '1m',
    }),
    'exit-code': Flags.boolean({ description: 'exit 3 when a pod finds no place' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(Plan);
    if (isDiff(flags)) return this.diff(flags);
    const { analysis } = await this.readWorld(flags);
    const startedAt = performance.now();
    const results = analysis.plan(true, this.passDeadline(flags['pass-time']));
    const report = planReport(results, analysis.wellKnown, Math.round((performance.now() - startedAt) * 1000) / 1000);
    await this.answer(report, flags, () => planText(report, this.view(flags, analysis.world.now)));
    return flags['exit-code'] && results.podErrors.size > 0 ? EXIT.negative : EXIT.done;
  }

  /** Compares the cluster with itself after the edit. */
  private async diff(flags: DiffFlags & WorldFlags & RenderFlags & { readonly namespace?: string | undefined }) {
    const { readEdits } = await import('../src/cli/input/read-edits.ts');
    const { planDiff } = await import('../src/explain/plan-diff.ts');
    const files = flags.filename ?? [];
    const written = await readObjects(files, { readStdin: this.io.readStdin, edits: true });
    const { objects, market, analyse, gates, analysis } = await this.readWorld(flags);
    const edits = await readEdits({
      written,
      files,
      removals: flags.delete ?? [],
      stored: objects.all,
      namespace: flags.namespace,
      bin: this.config.bin,
    });
    if (edits.ignored.length > 0 && !flags.quiet) this.say(`not part of the diff: ${edits.ignored.join(', ')}`);
    const report = planDiff({ ...edits, objects: objects.all, analyse, gates, rules: market.rules });
    await this.answer(report, flags, () => planDiffText(report, this.view(flags, analysis.world.now)));
    return report.differs ? EXIT.negative : EXIT.done;
  }
}

/** Throws a UsageError when `--diff` has nothing to compare with, or an edit comes without it. */
function isDiff({ diff = false, filename, delete: removals }: DiffFlags): boolean {
  if (diff !== (filename !== undefined || removals !== undefined)) {
    throw new UsageError('--diff goes together with -f or --delete', {
      hints: ['plan --diff -f edited-pool.yaml', 'plan --diff --delete nodepool/NAME'],
    });
  }
  return diff;
}
