import { Flags } from '@oclif/core';
import { KWOK_ACCESS } from '../kwok-provider/access.ts';
import { KwokCloudProvider } from '../kwok-provider/cloud-provider.ts';
import { controllerFlags, fromGoArguments, givenOptions } from '../src/cli/flags/controller-flags.ts';
import { UsageError } from '../src/cli/user-error.ts';
import type { Client } from '../src/kube/client.ts';
import { RealClock } from '../src/operator/clock.ts';
import { OptionError } from '../src/operator/option-error.ts';
import type { OperatorOptions } from '../src/operator/options.ts';
import { parseOptions } from '../src/operator/parse-options.ts';
import { CryptoRandom } from '../src/operator/random.ts';
import { kwokCatalogue } from './kwok-catalogue.ts';
import { WorldCommand } from './world-command.ts';

export default class Controller extends WorldCommand {
  static override summary = 'run the controller here, against the current cluster';
  static override description =
    `Runs the controller in this terminal against the cluster of the current context, with fake nodes of the kwok provider.
Options are upstream's, by flag or by environment variable (BATCH_IDLE_DURATION, FEATURE_GATES, …). It logs JSON lines.
--print-rbac writes, for kubectl apply, the least rights that a service account needs for it, with the reason of each.`;
  static override usage = 'controller [flags]';
  static override examples = [
    '{bin} controller --disable-leader-election true',
    '{bin} controller --feature-gates SpotToSpotConsolidation=true --log-level debug',
    '{bin} controller --print-rbac -n karpenter | kubectl apply -f -',
  ];
  static override flags = {
    provider: Flags.option({ options: ['kwok'] as const, description: 'where nodes come from', default: 'kwok' })(),
    'instance-types-file-path': Flags.string({
      description: "instance types to sell, in the kwok provider's file format",
      helpValue: 'FILE',
      aliases: ['instance-types'],
      env: 'INSTANCE_TYPES_FILE_PATH',
    }),
    'print-rbac': Flags.boolean({
      description: 'print the service account and roles that these options need, and end',
    }),
    'service-account': Flags.string({
      description: 'name of the service account and of its roles in --print-rbac',
      helpValue: 'NAME',
      default: 'karpenter',
    }),
    ...controllerFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Controller, [...fromGoArguments(this.argv)]);
    const options = operatorOptions(flags, this.io.env);
    if (flags['print-rbac']) {
      await this.#printRbac({ namespace: flags.namespace, serviceAccount: flags['service-account'] }, options);
      return;
    }
    const { instanceTypes } = await kwokCatalogue(flags['instance-types-file-path']);
    const { client: http } = await this.connection(flags);
    const [{ Operator }, { JsonLogger }, { PromMetrics }, { MeasuredClient }, { buildInfo }, { startEndpoints }] =
      await Promise.all([
        import('../src/operator/operator.ts'),
        import('../src/operator/json-logger.ts'),
        import('../src/operator/prom-metrics.ts'),
        import('../src/operator/measured-client.ts'),
        import('../src/operator/build-info.ts'),
        import('../src/operator/endpoints.ts'),
      ]);
    const clock = new RealClock();
    const log = new JsonLogger(options.logLevel, { write: (line) => this.print(line) });
    try {
      const cloudOver = (client: Client) => new KwokCloudProvider({ client, clock, instanceTypes });
      const metrics = new PromMetrics(cloudOver(http));
      metrics.watchProcess();
      metrics.gauge('build_info', 1, buildInfo(this.config.version));
      const client = new MeasuredClient({ client: http, clock, metrics });
      const cloud = cloudOver(client);
      const operator = new Operator({ client, clock, random: new CryptoRandom(), cloud, log, metrics, options });
      await startEndpoints({ options, metrics, isReady: () => operator.ready }, this.signal);
      log.info('starting', { version: this.config.version, provider: flags.provider });
      await operator.start(this.signal);
    } finally {
      await http.close();
    }
    this.signal.throwIfAborted();
  }

  async #printRbac(
    subject: { readonly namespace: string | undefined; readonly serviceAccount: string },
    options: OperatorOptions,
  ): Promise<void> {
    const [{ manifestYaml }, { rbacManifests }, { DEFAULT_LEASE_NAMESPACE }] = await Promise.all([
      import('../src/cli/render/manifest-yaml.ts'),
      import('../src/operator/rbac-manifests.ts'),
      import('../src/operator/leader-election.ts'),
    ]);
    const { serviceAccount, namespace = DEFAULT_LEASE_NAMESPACE } = subject;
    this.print(await manifestYaml(rbacManifests({ serviceAccount, namespace }, options, KWOK_ACCESS)));
  }
}

function operatorOptions(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): OperatorOptions {
  try {
    return parseOptions(givenOptions(flags), env);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
