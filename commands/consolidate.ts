import { Flags } from '@oclif/core';
import { EXIT } from '../src/cli/exit-codes.ts';
import { inputFlags } from '../src/cli/flags/input-flags.ts';
import { namedTableFlags } from '../src/cli/flags/output-flags.ts';
import { disruptionText } from '../src/cli/render/disruption-text.ts';
import { UsageError } from '../src/cli/user-error.ts';
import { disruptionOf, runMethods } from '../src/explain/disruption.ts';
import { disruptionReport } from '../src/explain/disruption-report.ts';
import { WorldCommand } from './world-command.ts';

export default class Consolidate extends WorldCommand {
  static override summary = 'what would be consolidated next, what it saves, what blocks the rest';
  static override description =
    `Shows which nodes the controller would disrupt next and what that saves, and for every other node what keeps it.
It only reads: the flag --dry-run says that you know.`;
  static override usage = 'consolidate --dry-run [flags]';
  static override examples = [
    '{bin} consolidate --dry-run',
    '{bin} consolidate --dry-run --from examples/saved-cluster',
    '{bin} consolidate --dry-run -o json',
  ];
  static override flags = {
    ...namedTableFlags,
    ...inputFlags,
    'dry-run': Flags.boolean({ description: 'required: nothing is changed' }),
    'exit-code': Flags.boolean({ description: 'exit 3 when something would be disrupted' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(Consolidate);
    if (!flags['dry-run']) {
      throw new UsageError('consolidate only shows what would be done, and wants to be asked so', {
        hints: [`${this.config.bin} consolidate --dry-run`],
      });
    }
    const { analysis } = await this.readWorld(flags);
    const disruption = disruptionOf(analysis);
    const verdict = (node: string) => disruption.verdict(node);
    const report = disruptionReport(runMethods(disruption), verdict, analysis.wellKnown);
    if (flags.output === 'name') {
      this.print((report.chosen?.candidates ?? []).map((name) => `node/${name}\n`).join(''));
    } else {
      await this.answer(report, flags, () => disruptionText(report, this.view(flags, analysis.world.now)));
    }
    return flags['exit-code'] && report.chosen ? EXIT.negative : EXIT.done;
  }
}
