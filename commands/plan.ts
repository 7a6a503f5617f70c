import { Flags } from '@oclif/core';
import type { NodePool } from '../src/apis/node-pool.ts';
import { nodePoolProblems } from '../src/apis/node-pool-problems.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { inputFlags } from '../src/cli/flags/input-flags.ts';
import { tableFlags } from '../src/cli/flags/output-flags.ts';
import { readObjects } from '../src/cli/input/read-objects.ts';
import { planDiffText } from '../src/cli/render/plan-diff-text.ts';
import { planText } from '../src/cli/render/plan-text.ts';
import { UsageError, UserError } from '../src/cli/user-error.ts';
import { planDiffReport } from '../src/explain/plan-diff-report.ts';
import { planReport } from '../src/explain/plan-report.ts';
import { type RenderFlags, WorldCommand, type WorldFlags } from './world-command.ts';

export default class Plan extends WorldCommand {
  static override summary = 'what would be launched for the pods that wait, touching nothing';
  static override description =
    `Shows what the controller would do next with the pods that wait for a node: which nodes it would launch, which pods
find room on nodes that are there, and which find no place.
With --diff -f, what edited NodePools would change before they are applied: fields, drift, launches and cost.
It only reads.`;
  static override usage = 'plan [flags]';
  static override examples = [
    '{bin} plan',
    '{bin} plan --from examples/saved-cluster',
    '{bin} plan --from - -o json',
    '{bin} plan --diff -f examples/edited-pool.yaml',
  ];
  static override flags = {
    ...tableFlags,
    ...inputFlags,
    filename: Flags.string({
      char: 'f',
      description: 'a file, a folder or - with edited NodePools, for --diff (repeatable)',
      helpValue: 'PATH',
      multiple: true,
      multipleNonGreedy: true,
    }),
    diff: Flags.boolean({ description: 'what the NodePools of -f would change; exit 3 when they differ' }),
    'pass-time': Flags.string({
      description: 'how long the pass may take; pods that it does not reach go first in the next',
      helpValue: 'DURATION',
      default: '1m',
    }),
    'exit-code': Flags.boolean({ description: 'exit 3 when a pod finds no place' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(Plan);
    const files = diffFiles(flags);
    if (files) return this.diff(files, flags);
    const { analysis } = await this.readWorld(flags);
    const startedAt = performance.now();
    const results = analysis.plan(true, this.passDeadline(flags['pass-time']));
    const report = planReport(results, analysis.wellKnown, Math.round((performance.now() - startedAt) * 1000) / 1000);
    await this.answer(report, flags, () => planText(report, this.view(flags, analysis.world.now)));
    return flags['exit-code'] && results.podErrors.size > 0 ? EXIT.negative : EXIT.done;
  }

  /** Compares the cluster with itself after the edit. */
  private async diff(files: readonly string[], flags: WorldFlags & RenderFlags): Promise<number> {
    const { completedPool, withPools } = await import('../src/explain/edited-pools.ts');
    const edits = (await readObjects(files, { readStdin: this.io.readStdin })).filter(
      ({ kind }) => kind === 'NodePool',
    );
    if (edits.length === 0) throw new UserError(`${files.join(', ')}: no NodePool in it`, { code: 'KE1101' });
    const { objects, catalogue, analyse, analysis } = await this.readWorld(flags);
    const { rules } = catalogue;
    const edited = (edits as NodePool[]).map(completedPool);
    const stored = objects.all.map((object) =>
      object.kind === 'NodePool' ? completedPool(object as NodePool) : object,
    );
    const problems = (pool: NodePool) => nodePoolProblems(pool, { restrictedLabelDomains: new Set(), ...rules });
    const after = analyse(withPools(stored, edited, (pool) => problems(pool).length === 0));
    const report = planDiffReport({ before: analyse(stored), after, edited, problems });
    await this.answer(report, flags, () => planDiffText(report, this.view(flags, analysis.world.now)));
    return report.differs ? EXIT.negative : EXIT.done;
  }
}

function diffFiles(flags: { readonly diff?: boolean; readonly filename?: string[] | undefined }): string[] | undefined {
  if ((flags.diff ?? false) !== (flags.filename !== undefined)) {
    throw new UsageError('--diff and -f go together', { hints: ['plan --diff -f edited-pool.yaml'] });
  }
  return flags.filename;
}
