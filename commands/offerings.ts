import { matchesGlob } from 'node:path';
import { Flags } from '@oclif/core';
import type { NodePool } from '../src/apis/node-pool.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { inputFlags } from '../src/cli/flags/input-flags.ts';
import { tableFlags } from '../src/cli/flags/output-flags.ts';
import { nearest } from '../src/cli/nearest.ts';
import { parseReferences } from '../src/cli/object-reference.ts';
import { offeringsText } from '../src/cli/render/offerings-text.ts';
import { UsageError, UserError } from '../src/cli/user-error.ts';
import { offeringsReport, type PoolOffers } from '../src/explain/offerings-report.ts';
import { explainPod, type PodExplanation } from '../src/explain/pod-explanation.ts';
import { type ReadWorld, WorldCommand } from './world-command.ts';

export default class Offerings extends WorldCommand {
  static override summary = 'what NodePools can buy, at what price, and what is sold out';
  static override description =
    `The instance types that each NodePool may buy, cheapest first: what they leave to pods, prices on demand and as spot, the
zones that sell them, and what is not on sale, for how long where that is known. With --pod: the types that would do for the
pod by the rules of the scheduler; -o json tells why the others would not.`;
  static override usage = 'offerings [flags]';
  static override examples = [
    '{bin} offerings',
    '{bin} offerings --nodepool general --all',
    '{bin} offerings --pod default/web-0',
    "{bin} offerings --instance-type 'm7*.xlarge' -o wide",
    '{bin} offerings --pod web-4 --from examples/saved-cluster',
    '{bin} offerings --instance-type m5.large --from examples/saved-cluster --catalog ec2:us-east-1',
  ];
  static override flags = {
    ...tableFlags,
    ...inputFlags,
    nodepool: Flags.string({
      char: 'p',
      aliases: ['pool'],
      description: 'this NodePool only (repeatable)',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    pod: Flags.string({ description: 'what this pod fits', helpValue: '[NAMESPACE/]NAME' }),
    'instance-type': Flags.string({
      description: 'these types only, * for any text (repeatable); tells why a pool does not allow them',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    all: Flags.boolean({ description: 'every type, not the cheapest few only' }),
    'exit-code': Flags.boolean({ description: 'exit 3 when nothing is on sale, or nothing that the pod fits' }),
  };

  async run(): Promise<number> {
    const { flags } = await this.parse(Offerings);
    const { nodepool: names, pod: asked, 'instance-type': patterns } = flags;
    const read = await this.readWorld(flags);
    const { world, wellKnown } = read.analysis;
    const pools = names?.map((name) => this.poolNamed(name, read));
    const isAskedFor = patterns && typesLike(patterns, read);
    const pod = asked === undefined ? undefined : this.#explained(asked, flags.namespace, read);
    const classProblem = ({ spec }: NodePool) =>
      read.market.ec2?.classes.get(spec.template.spec.nodeClassRef.name)?.problem;
    const report = offeringsReport({ world, wellKnown, pools, isAskedFor, classProblem, pod });
    const isTable = flags.output !== 'json' && flags.output !== 'yaml';
    if (report.pools.length === 0 && isTable) this.say('No NodePools found.');
    await this.answer(report, flags, () => offeringsText(report, this.view(flags, world.now), flags.all));
    return flags['exit-code'] && !report.pools.some(canBuy) ? EXIT.negative : EXIT.done;
  }

  /** What each type comes to for a pod, by the pass that would place it. */
  #explained(text: string, namespace: string | undefined, read: ReadWorld): PodExplanation {
    const { analysis } = read;
    const { world, solve, wellKnown } = analysis;
    const [pod] = parseReferences(['pod', text]).map((ref) => this.podNamed(ref, read, namespace));
    if (!pod) throw new UsageError('--pod: which pod?');
    const closest = (value: string, candidates: readonly string[]) => nearest(value, candidates, 1)[0];
    return explainPod({ pod, world, pending: analysis.pending(), solve, wellKnown, closest, allTypes: true });
  }
}

/** Something that was asked about, and for the pod if there is one. */
function canBuy({ instanceTypes, refusals }: PoolOffers): boolean {
  return (
    refusals.length === 0 &&
    instanceTypes.some(({ fits, offerings }) => fits !== false && offerings.some(({ available }) => available))
  );
}

/** Types that one of the patterns means. Throws a UserError for a pattern that means none. */
function typesLike(patterns: readonly string[], { analysis }: ReadWorld): (instanceType: string) => boolean {
  const names = new Set(analysis.world.pools.flatMap(({ instanceTypes }) => instanceTypes.map(({ name }) => name)));
  for (const pattern of patterns) {
    if (names.size === 0 || [...names].some((name) => matchesGlob(name, pattern))) continue;
    throw new UserError(`no instance type is called ${pattern}`, {
      code: 'KE1301',
      hints: nearest(pattern, names).map((name) => `--instance-type ${name}`),
    });
  }
  return (instanceType) => patterns.some((pattern) => matchesGlob(instanceType, pattern));
}
