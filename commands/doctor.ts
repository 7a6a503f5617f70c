import { Flags } from '@oclif/core';
import { programFindings } from '../src/cli/doctor/program-findings.ts';
import { durationFlag } from '../src/cli/duration-flag.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { controllerFlags, fromGoArguments } from '../src/cli/flags/controller-flags.ts';
import { doctorText } from '../src/cli/render/doctor-text.ts';
import { REPORT_API_VERSION } from '../src/cli/report.ts';
import { doctorReport } from '../src/doctor/doctor-report.ts';
import { type PlacedFinding, runChecks } from '../src/doctor/run-checks.ts';
import { RealClock } from '../src/operator/clock.ts';
import { controllerAwsFlags } from './controller-aws-flags.ts';
import { operatorOptions } from './controller-options.ts';
import { controllerProvider } from './controller-providers.ts';
import { clusterChecks, type Reached, reachCluster } from './doctor-cluster.ts';
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
    let waitingFor: readonly string[] = [];
    const limits = {
      clock,
      timeoutMs,
      signal: this.signal,
      onProgress: (names: readonly string[]) => (waitingFor = names),
    };

    const { findings } = await this.steps(flags).step(
      'looking',
      async () => {
        const reached = await this.#reach(flags, timeoutMs);
        const program = await programFindings({
          root: this.config.root,
          path: this.io.env.PATH,
          nodeVersion: process.version,
        });
        try {
          const checks = clusterChecks({
            ...{ cluster: reached.cluster, env: this.io.env, options, provider, namespace: flags.namespace },
            providerFlag: flags.provider ? ` --provider ${flags.provider}` : '',
            now: clock.now(),
          });
          const asked = await runChecks(checks, limits);
          return {
            findings: inOrder([...placed('This machine', program), ...placed('Cluster', reached.findings), ...asked]),
          };
        } finally {
          await reached.cluster?.client.close();
        }
      },
      undefined,
      () => (waitingFor.length > 0 ? `: waiting for ${waitingFor.join(', ')}` : ''),
    );
    const report = doctorReport(REPORT_API_VERSION, flags.provider, findings, []);
    await this.answer(report, flags, () => doctorText(report, this.view(flags)));
    return report.counts.fail > 0 ? EXIT.negative : EXIT.done;
  }

  #reach(flags: Parameters<WorldCommand['connection']>[0], timeoutMs: number): Promise<Reached> {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(timeoutMs)]);
    return reachCluster(() => this.connection(flags), signal);
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
