import { Flags } from '@oclif/core';
import { EXIT } from '../src/cli/exit-codes.ts';
import { inputFlags } from '../src/cli/flags/input-flags.ts';
import { tableFlags } from '../src/cli/flags/output-flags.ts';
import { planText } from '../src/cli/render/plan-text.ts';
import { planReport } from '../src/explain/plan-report.ts';
import { WorldCommand } from './world-command.ts';

export default class Plan extends WorldCommand {
  static override summary = 'what would be launched for the pods that wait, touching nothing';
  static override description =
    `Shows what the controller would do next with the pods that wait for a node: which nodes it would launch, which pods
find room on nodes that are there, and which find no place. It only reads.`;
  static override usage = 'plan [flags]';
  static override examples = ['{bin} plan', '{bin} plan --from examples/saved-cluster', '{bin} plan --from - -o json'];
  static override flags = {
    ...tableFlags,
    ...inputFlags,
    'exit-code': Flags.boolean({ description: 'exit 3 when a pod finds no place' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(Plan);
    const { analysis } = await this.readWorld(flags);
    const startedAt = performance.now();
    const results = analysis.plan(true);
    const report = planReport(results, analysis.wellKnown, Math.round((performance.now() - startedAt) * 1000) / 1000);
    await this.answer(report, flags, () => planText(report, this.view(flags, analysis.world.now)));
    return flags['exit-code'] && results.podErrors.size > 0 ? EXIT.negative : EXIT.done;
  }
}
