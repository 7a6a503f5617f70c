import { hostname } from 'node:os';
import { Flags } from '@oclif/core';
import { requireDefinitions } from '../src/cli/cluster/require-definitions.ts';
import { catalogFlag } from '../src/cli/flags/catalogue-flags.ts';
import { controllerFlags, fromGoArguments } from '../src/cli/flags/controller-flags.ts';
import { portError } from '../src/cli/port-error.ts';
import { UserError } from '../src/cli/user-error.ts';
import type { Resource } from '../src/kube/client.ts';
import type { Clock } from '../src/kube/clock.ts';
import { clientLimiter } from '../src/kube/rate-limiter.ts';
import { CapacityBuffers, NodeClaims, NodeOverlays, NodePools } from '../src/kube/resources.ts';
import { RealClock } from '../src/operator/clock.ts';
import type { EndpointsDeps } from '../src/operator/endpoints.ts';
import { logOutputs } from '../src/operator/log-outputs.ts';
import { withinMemory } from '../src/operator/memory-limit.ts';
import type { OperatorOptions } from '../src/operator/options.ts';
import { CryptoRandom } from '../src/operator/random.ts';
import { controllerAwsFlags } from './controller-aws-flags.ts';
import { asUsageError, operatorOptions } from './controller-options.ts';
import { type ControllerProvider, controllerProvider } from './controller-providers.ts';
import { WorldCommand } from './world-command.ts';

const ALL_OPTIONS = { ...controllerFlags, ...controllerAwsFlags };

/** What the server logs and managedFields name, as upstream's. */
const PROGRAM = 'karpenter';
/** What is under way may take so long to end after a SIGTERM; pods are killed after 30 seconds. */
const GRACE_MS = 20_000;

export default class Controller extends WorldCommand {
  static override summary = 'run the controller here, against the current cluster';
  static override description =
    `Runs the controller in this terminal against the cluster of the current context, with fake nodes of the kwok provider,
or with --provider aws on EC2, in place of upstream's controller and over the same EC2NodeClasses. Options are upstream's, by flag or by environment variable (BATCH_IDLE_DURATION, FEATURE_GATES, …). It logs JSON lines.
--print-rbac writes, for kubectl apply, the least rights that a service account needs for it, with the reason of each;
--print-crds the definitions of NodePool and the other kinds, for a cluster that has none yet.`;
  static override usage = 'controller [flags]';
  static override examples = [
    '{bin} controller --disable-leader-election true',
    '{bin} controller --feature-gates SpotToSpotConsolidation=true --log-level debug',
    '{bin} controller --provider aws --cluster-name prod --interruption-queue prod',
    '{bin} controller --print-crds | kubectl apply -f -',
    '{bin} controller --print-rbac -n karpenter | kubectl apply -f -',
  ];
  static override flags = {
    provider: Flags.option({
      options: ['kwok', 'aws'] as const,
      description: 'where nodes come from',
      default: 'kwok',
    })(),
    'instance-types-file-path': Flags.string({
      description: "instance types to sell, in the kwok provider's file format",
      helpValue: 'FILE',
      aliases: ['instance-types'],
      env: 'INSTANCE_TYPES_FILE_PATH',
    }),
    catalog: catalogFlag({ exclusive: ['instance-types-file-path'] }),
    'print-rbac': Flags.boolean({
      description: 'print the service account and roles that these options need, and end',
    }),
    'print-crds': Flags.boolean({ description: 'print the custom resource definitions, and end' }),
    'service-account': Flags.string({
      description: 'name of the service account and of its roles in --print-rbac',
      helpValue: 'NAME',
      default: 'karpenter',
    }),
    ...controllerFlags,
    ...controllerAwsFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Controller, [...fromGoArguments(ALL_OPTIONS, this.argv)]);
    const options = operatorOptions(flags, this.io.env);
    const provider = await controllerProvider(flags.provider, flags, this.io.env);
    if (flags['print-rbac']) {
      const subject = { namespace: flags.namespace, serviceAccount: flags['service-account'] };
      await this.#printRbac(subject, options, provider);
      return;
    }
    if (flags['print-crds']) {
      const { manifestYaml } = await import('../src/cli/render/manifest-yaml.ts');
      this.print(await manifestYaml(provider.definitions.map((object) => ({ object }))));
      return;
    }
    withinMemory(options.memoryLimit);
    const { facts, connect } = await provider.open();
    const { client: leaseClient, access, context } = await this.connection(flags, PROGRAM);
    const [{ Operator }, { JsonLogger }, { PromMetrics }, { MeasuredClient }, { buildInfo }, { HttpClient }] =
      await Promise.all([
        import('../src/operator/operator.ts'),
        import('../src/operator/json-logger.ts'),
        import('../src/operator/prom-metrics.ts'),
        import('../src/operator/measured-client.ts'),
        import('../src/operator/build-info.ts'),
        import('../src/kube/http-client.ts'),
      ]);
    const clock = new RealClock();
    const random = new CryptoRandom();
    const { commit = '' } = buildInfo(this.config.version);
    const log = new JsonLogger({
      level: options.logLevel,
      clock,
      destination: this.#logOutputs(options),
      ...(commit === 'unknown' ? {} : { commit }),
    });
    const limiter = clientLimiter({ clock }, { qps: options.kubeClientQps, burst: options.kubeClientBurst });
    const userAgent = `${PROGRAM}/${this.config.version}`;
    const http = new HttpClient({ access, clock, userAgent, ...(limiter ? { limiter } : {}) });
    const namespace = flags.namespace ?? (context === undefined ? access.namespace : undefined);
    try {
      const metrics = new PromMetrics(facts);
      metrics.watchProcess();
      metrics.gauge('build_info', 1, buildInfo(this.config.version));
      const client = new MeasuredClient({ client: http, clock, metrics });
      const parts = { client, clock, random, log, metrics, options };
      log.info('starting', { version: this.config.version, provider: flags.provider });
      await requireDefinitions(
        http,
        [provider.nodeClasses, ...neededKinds(options)],
        AbortSignal.any([this.signal, AbortSignal.timeout(GRACE_MS)]),
      );
      const { cloud, controllers } = await connect(
        { ...parts, http, access, version: this.config.version },
        this.signal,
      );
      const operator = new Operator({
        ...{ ...parts, leaseClient, cloud },
        ...(controllers ? { providerControllers: controllers } : {}),
        // Upstream's kwok controller has no metrics of its provider, its EC2 controller has.
        measuresProvider: flags.provider === 'aws',
        identity: `${hostname()}_${random.uuid()}`,
        graceMs: GRACE_MS,
        ...(namespace === undefined ? {} : { namespace }),
      });
      const ended = new AbortController();
      await this.#serve({ options, metrics, checks: () => operator.checks }, clock, ended.signal);
      await operator.start(this.signal).finally(() => ended.abort());
    } catch (error) {
      throw asUserError(error, options);
    } finally {
      await Promise.all([http.close(), leaseClient.close()]);
    }
  }

  #logOutputs({ logOutputPaths, logErrorOutputPaths }: OperatorOptions): { write(line: string): void } {
    const stderr = (text: string): void => void this.io.stderr.write(text);
    try {
      return logOutputs(logOutputPaths, logErrorOutputPaths, { stdout: (text) => this.print(text), stderr });
    } catch (error) {
      throw asUsageError(error);
    }
  }

  async #serve(deps: EndpointsDeps, clock: Clock, signal: AbortSignal): Promise<void> {
    const [{ startEndpoints }, { profilingPages }] = await Promise.all([
      import('../src/operator/endpoints.ts'),
      import('../src/operator/profiling.ts'),
    ]);
    const profiling = deps.options.enableProfiling ? profilingPages(clock, process.argv) : {};
    await startEndpoints({ ...deps, profiling }, signal);
  }

  async #printRbac(
    subject: { readonly namespace: string | undefined; readonly serviceAccount: string },
    options: OperatorOptions,
    provider: ControllerProvider,
  ): Promise<void> {
    const [{ manifestYaml }, { rbacManifests }, { DEFAULT_LEASE_NAMESPACE }] = await Promise.all([
      import('../src/cli/render/manifest-yaml.ts'),
      import('../src/operator/rbac-manifests.ts'),
      import('../src/operator/leader-election.ts'),
    ]);
    const { serviceAccount, namespace = DEFAULT_LEASE_NAMESPACE } = subject;
    this.print(await manifestYaml(rbacManifests({ serviceAccount, namespace }, options, provider.access)));
  }
}

/** What a person can do about an end that was not asked for. */
function asUserError(error: unknown, options: OperatorOptions): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'LeadershipLostError') return new UserError(error.message, { code: 'KE1204', cause: error });
  return (
    portError(error, { 'metrics-port': options.metricsPort, 'health-probe-port': options.healthProbePort }) ?? error
  );
}

/** Kinds without which these options can't work. */
const neededKinds = ({ featureGates }: OperatorOptions): readonly Resource[] => [
  ...[NodePools, NodeClaims],
  ...(featureGates.NodeOverlay ? [NodeOverlays] : []),
  ...(featureGates.CapacityBuffer ? [CapacityBuffers] : []),
];
