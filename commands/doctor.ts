import { Flags } from '@oclif/core';
import type { AwsDiagnosis } from '../src/aws-provider/index.ts';
import { programFindings } from '../src/cli/doctor/program-findings.ts';
import { durationFlag } from '../src/cli/duration-flag.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { controllerFlags, fromGoArguments } from '../src/cli/flags/controller-flags.ts';
import { doctorText } from '../src/cli/render/doctor-text.ts';
import { REPORT_API_VERSION } from '../src/cli/report.ts';
import { doctorReport } from '../src/doctor/doctor-report.ts';
import { type PlacedFinding, runChecks } from '../src/doctor/run-checks.ts';
import { RealClock } from '../src/operator/clock.ts';
import type { FeatureGates } from '../src/operator/options.ts';
import { controllerAwsFlags } from './controller-aws-flags.ts';
import { operatorOptions } from './controller-options.ts';
import { type ControllerFlags, controllerProvider } from './controller-providers.ts';
import type { DoctorAwsInput } from './doctor-aws.ts';
import { clusterChecks, type Reached, type ReachedCluster, reachCluster } from './doctor-cluster.ts';
import { WorldCommand } from './world-command.ts';

/** So long an answer may take unless told. */
const PATIENCE = '5s';
/** What `--request-timeout 0` means: as good as no limit. */
const FOREVER_MS = 2 ** 31 - 1;

export default class Doctor extends WorldCommand {
  static override summary = 'whether the controller would work here, and what to mend';
  static override description =
    `Looks at this machine, the cluster, and with --provider aws the AWS account, and says of each thing that the controller
needs whether it is there: pass, warn, fail or skipped, with what would mend it. It changes nothing. Give it the options that the controller gets;
the rights and the AWS permissions are those of whoever calls it. Exit code 3 when something fails.`;
  static override usage = 'doctor [flags]';
  static override examples = [
    '{bin} doctor',
    '{bin} doctor --provider aws --cluster-name prod --interruption-queue prod',
    '{bin} doctor --as system:serviceaccount:karpenter:karpenter -o json',
  ];
  static override flags = {
    provider: Flags.option({
      options: ['kwok', 'aws'] as const,
      description: 'what the controller would get its nodes from: ask for what that needs too',
    })(),
    output: Flags.option({
      char: 'o',
      options: ['json', 'yaml', 'wide'] as const,
      description: 'json, yaml, or wide for every permission on a line of its own; text without it',
      helpValue: 'FORMAT',
    })(),
    ...hidden(controllerFlags, [
      'feature-gates',
      'leader-election-namespace',
      'leader-election-name',
      'ignore-dra-requests',
    ]),
    ...controllerAwsFlags,
  };

  async run(): Promise<number> {
    const all = { ...controllerFlags, ...controllerAwsFlags };
    const { flags } = await this.parse(Doctor, [...fromGoArguments(all, this.argv)]);
    const options = operatorOptions(flags, this.io.env);
    const timeoutMs = durationFlag('request-timeout', flags['request-timeout'] ?? PATIENCE) || FOREVER_MS;
    const clock = new RealClock();
    const provider = flags.provider && (await controllerProvider(flags.provider, flags, this.io.env));
    const waiting: { cluster: readonly string[]; aws: readonly string[] } = { cluster: [], aws: [] };
    const waitsFor = (whom: keyof typeof waiting) => (names: readonly string[]) => {
      waiting[whom] = names;
    };
    const limits = { timeoutMs, signal: this.signal };

    const { findings, statements } = await this.steps(flags).step(
      'looking',
      async () => {
        const reached = await this.#reach(flags, timeoutMs);
        const { cluster } = reached;
        try {
          const checks = clusterChecks({
            ...{ cluster, env: this.io.env, options, provider, namespace: flags.namespace },
            providerFlag: flags.provider ? ` --provider ${flags.provider}` : '',
            now: clock.now(),
          });
          const [program, asked, aws] = await Promise.all([
            programFindings({ root: this.config.root, path: this.io.env.PATH, nodeVersion: process.version }),
            runChecks(checks, { ...limits, clock, onProgress: waitsFor('cluster') }),
            this.#askAws(flags, cluster, options.featureGates, { ...limits, onProgress: waitsFor('aws') }, clock),
          ]);
          const local = [...placed('This machine', program), ...placed('Cluster', reached.findings), ...asked];
          return { findings: inOrder([...local, ...aws.findings]), statements: aws.statements };
        } finally {
          await cluster?.client.close();
        }
      },
      undefined,
      () => {
        const names = Object.values(waiting).flat();
        return names.length > 0 ? `: waiting for ${names.slice(0, 3).join(', ')}${names.length > 3 ? '…' : ''}` : '';
      },
    );
    const report = doctorReport(REPORT_API_VERSION, flags.provider, findings, statements);
    await this.answer(report, flags, () => doctorText(report, this.view(flags)));
    return report.counts.fail > 0 ? EXIT.negative : EXIT.done;
  }

  #reach(flags: Parameters<WorldCommand['connection']>[0], timeoutMs: number): Promise<Reached> {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(timeoutMs)]);
    return reachCluster(() => this.connection(flags), signal);
  }

  async #askAws(
    flags: ControllerFlags & { readonly provider?: string | undefined },
    cluster: ReachedCluster | undefined,
    gates: FeatureGates,
    limits: DoctorAwsInput['limits'],
    clock: RealClock,
  ): Promise<AwsDiagnosis> {
    if (flags.provider !== 'aws') return { findings: [], statements: [] };
    // The provider is large.
    const { awsFindings } = await import('./doctor-aws.ts');
    const { version } = this.config;
    const reservedCapacity = gates.ReservedCapacity;
    return await awsFindings({ flags, env: this.io.env, clock, cluster, reservedCapacity, limits, version });
  }
}

/** The same flags, left out of the help page unless named: they are taken so that a controller's command line can be copied. */
function hidden<T extends Readonly<Record<string, object>>>(flags: T, shown: readonly (keyof T)[]): T {
  const entries = Object.entries(flags).map(([name, flag]) => [name, { ...flag, hidden: !shown.includes(name) }]);
  return Object.fromEntries(entries) as T;
}

const placed = (area: string, findings: readonly Omit<PlacedFinding, 'area'>[]): readonly PlacedFinding[] =>
  findings.map((finding) => ({ area, ...finding }));

/** What is told under one head stands together. */
function inOrder(findings: readonly PlacedFinding[]): readonly PlacedFinding[] {
  return [...Map.groupBy(findings, ({ area }) => area).values()].flat();
}
