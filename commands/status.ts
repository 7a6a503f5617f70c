import { Flags } from '@oclif/core';
import { inputFlags } from '../src/cli/flags/input-flags.ts';
import { namedTableFlags } from '../src/cli/flags/output-flags.ts';
import { statusText } from '../src/cli/render/status-text.ts';
import { selectorFlag } from '../src/cli/selector-flag.ts';
import { UsageError } from '../src/cli/user-error.ts';
import { disruptionOf } from '../src/explain/disruption.ts';
import { pendingCauses } from '../src/explain/pending-causes.ts';
import { poolOfferings } from '../src/explain/pool-offerings.ts';
import { type StatusReport, statusReport } from '../src/explain/status-report.ts';
import { matchesRequirements } from '../src/kube/selectors.ts';
import { RealClock } from '../src/operator/clock.ts';
import { WorldCommand } from './world-command.ts';

const WATCH_MS = 2_000;

export default class Status extends WorldCommand {
  static override summary = 'pools, nodes, prices, pending pods and disruptions on one screen';
  static override description =
    `One screen about the cluster: each NodePool with what its pods request of what its nodes can give, nodes by capacity
type, limits, price and disruption budget; pods that wait, by cause; and disruptions under way.`;
  static override usage = 'status [flags]';
  static override examples = [
    '{bin} status',
    '{bin} status -w',
    '{bin} status -l team=web --no-headers',
    '{bin} status --from examples/saved-cluster -o json',
  ];
  static override flags = {
    ...namedTableFlags,
    ...inputFlags,
    selector: Flags.string({ char: 'l', description: 'NodePools with these labels only', helpValue: 'SELECTOR' }),
    watch: Flags.boolean({ char: 'w', description: 'show it again whenever it changes' }),
    resources: Flags.string({
      description: 'resources to show, separated by commas',
      helpValue: 'LIST',
      default: 'cpu,memory',
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Status);
    if (flags.watch && flags.from) throw new UsageError('--watch needs a live cluster, not --from');
    const requirements = selectorFlag(flags.selector);
    const resources = flags.resources.split(',').filter(Boolean);
    const show = async (previous: string): Promise<string> => {
      const { analysis, market } = await this.readWorld(flags);
      const disruption = disruptionOf(analysis);
      const report = statusReport({
        world: analysis.world,
        instanceTypes: market.instanceTypes,
        pending: pendingCauses(analysis.plan(true, this.passDeadline()), analysis.world.pods),
        budgets: (reason) => disruption.budgets(reason),
        problems: (pool) => poolOfferings(pool, analysis.wellKnown).problems,
        selects: (pool) => matchesRequirements(requirements, pool.metadata.labels),
      });
      return this.show(report, flags, resources, previous);
    };
    let shown = await show('');
    const clock = new RealClock();
    while (flags.watch) {
      await clock.sleep(WATCH_MS, this.signal);
      shown = await show(shown);
    }
  }

  /** Prints the report unless it says what `previous` said; answers what it says. */
  private async show(
    report: StatusReport,
    flags: Parameters<WorldCommand['view']>[0] & { readonly watch: boolean },
    resources: readonly string[],
    previous: string,
  ): Promise<string> {
    const view = this.view(flags, Date.parse(report.time));
    if (flags.output === 'name') {
      this.print(report.pools.map(({ name }) => `nodepool.karpenter.sh/${name}\n`).join(''));
      return '';
    }
    if (report.pools.length === 0 && flags.output !== 'json' && flags.output !== 'yaml')
      this.say('No NodePools found.');
    const text = statusText(report, view, resources);
    if (text === previous) return previous;
    if (flags.watch && view.terminal.live) this.print('\u001B[H\u001B[2J');
    await this.answer(report, flags, () => text);
    return text;
  }
}
