import { join } from 'node:path';
import { Flags, type Interfaces } from '@oclif/core';
import { BaseCommand } from '../src/cli/base-command.ts';
import { kubeconfigFiles } from '../src/cli/cluster/kubeconfig-sources.ts';
import { durationFlag } from '../src/cli/duration-flag.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { featureGatesFlag } from '../src/cli/feature-gates-flag.ts';
import { catalogueFlags } from '../src/cli/flags/catalogue-flags.ts';
import type { globalFlags } from '../src/cli/flags/global-flags.ts';
import { Interrupted } from '../src/cli/io.ts';
import { startInBackground } from '../src/cli/local-cluster/background.ts';
import { catalogueOfContext, rememberCatalogue } from '../src/cli/local-cluster/cluster-context.ts';
import { contextName } from '../src/cli/local-cluster/context-name.ts';
import { followDecisions } from '../src/cli/local-cluster/follow-decisions.ts';
import { nextCommands } from '../src/cli/local-cluster/next-commands.ts';
import { startError } from '../src/cli/local-cluster/start-error.ts';
import { type ClusterRecord, StateFolder } from '../src/cli/local-cluster/state-folder.ts';
import type { StepReporter } from '../src/cli/steps.ts';
import { styleFor } from '../src/cli/style.ts';
import { terminalOf } from '../src/cli/terminal.ts';
import { UsageError, UserError } from '../src/cli/user-error.ts';
import { readKubeconfig } from '../src/kube/kubeconfig.ts';
import { writeContext } from '../src/kube/kubeconfig-file.ts';
import { formatTimestamp } from '../src/kube/timestamp.ts';
import { RealClock } from '../src/operator/clock.ts';
import { CryptoRandom } from '../src/operator/random.ts';
import { COMPONENTS, type Component, type RunningCluster } from '../src/runtimes/types.ts';
import { type Catalogue, kwokCatalogue } from './kwok-catalogue.ts';
import { patternOf, requireOffered, sellOut } from './offering-patterns.ts';

/** Names the process that `-d` leaves behind, so that it doesn't start another. */
const BACKGROUND = 'KUBECTL_KARPENTER_BACKGROUND';

const flagsOfUp = {
  local: Flags.boolean({ description: 'in this process: API, control plane, fake nodes and Karpenter (the default)' }),
  detach: Flags.boolean({ char: 'd', description: 'run in the background; returns when it is ready' }),
  name: Flags.string({ description: 'name of the cluster', helpValue: 'NAME', default: 'local' }),
  port: Flags.integer({
    description: 'port of the API on loopback; a free one without it',
    helpValue: 'PORT',
    min: 1,
    max: 65535,
  }),
  without: Flags.string({
    description: `leave components out: ${COMPONENTS.join(', ')} (separated by commas)`,
    helpValue: 'LIST',
    default: '',
  }),
  ...catalogueFlags,
  'sold-out': Flags.string({
    description: 'offerings that can not be bought, as TYPE/ZONE/CAPACITY-TYPE with * for any text (repeatable)',
    helpValue: 'OFFERING',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'feature-gates': Flags.string({
    description: "gates of Karpenter's controller, for example NodeOverlay=true",
    helpValue: 'LIST',
  }),
  'node-join-delay': Flags.string({
    description: 'from the launch of a machine until its node joins',
    helpValue: 'DURATION',
    default: '1s',
  }),
  'node-ready-delay': Flags.string({
    description: 'until a node that joined is ready',
    helpValue: 'DURATION',
    default: '500ms',
  }),
  'pod-start-delay': Flags.string({ description: 'until a bound pod runs', helpValue: 'DURATION', default: '300ms' }),
  timeout: Flags.string({ description: 'longest wait for -d', helpValue: 'DURATION', default: '60s' }),
};

export default class Up extends BaseCommand {
  static override summary = 'start a cluster with Karpenter in it, on this machine';
  static override description =
    `Starts a Kubernetes API, a control plane, fake nodes and Karpenter in one process on this machine: no containers, no
downloads, no account. kubectl reaches it as the context karpenter-NAME. Without -d it stays in the foreground and tells what
Karpenter decides; Ctrl-C stops it and keeps its state, and "down" removes everything.`;
  static override usage = 'up --local [flags]';
  static override examples = [
    '{bin} up --local',
    '{bin} up --local -d --name second',
    "{bin} up --local --catalog ec2:us-east-1 --sold-out 'm5.*/us-east-1a/spot'",
    '{bin} up --local --without karpenter',
  ];
  static override flags = flagsOfUp;

  async run(): Promise<void> {
    const { flags } = await this.parse(Up);
    const without = componentsOf(flags.without);
    featureGatesFlag(flags['feature-gates']);
    const folder = new StateFolder(flags.name, this.io.env);
    await folder.create();
    const isTold = flags.catalog ?? flags['instance-types'];
    const source = isTold ? flags : await catalogueOfContext(contextName(folder.name), this.io.env);
    const catalogue = await kwokCatalogue(source);
    const soldOut = (flags['sold-out'] ?? []).map(patternOf);
    requireOffered(soldOut, catalogue.instanceTypes);
    if (await folder.runningRecord()) return this.alreadyUp(folder);
    if (flags.detach && !this.io.env[BACKGROUND]) return this.startDetached(folder, flags);
    if (!(await folder.lock())) return this.alreadyUp(folder);
    try {
      // Found out before anything is started.
      await readKubeconfig(kubeconfigFiles(flags.kubeconfig, this.io.env)).catch((error) =>
        Promise.reject(kubeconfigError(error)),
      );
      await rememberCatalogue(folder.path, source);
      await this.runCluster(folder, flags, without, catalogue);
    } finally {
      await folder.unlock();
    }
  }

  private async alreadyUp(folder: StateFolder): Promise<void> {
    const record = await folder.readRecord();
    const where = record ? ` at ${record.server}, context ${record.context}` : '';
    this.say(`cluster "${folder.name}" runs already${where}`);
  }

  private async startDetached(folder: StateFolder, flags: UpFlags): Promise<void> {
    const steps = this.steps(flags);
    const record = await steps.step(
      `cluster "${folder.name}"`,
      () =>
        startInBackground({
          folder,
          args: process.argv.slice(1),
          env: { ...this.io.env, [BACKGROUND]: '1' },
          timeoutMs: durationFlag('timeout', flags.timeout),
          clock: new RealClock(),
          signal: this.signal,
        }),
      ({ server }) => server,
    );
    this.sayNext(folder, record, flags, true);
    this.say(`log ${folder.logFile}`);
  }

  private async runCluster(
    folder: StateFolder,
    flags: UpFlags,
    without: ReadonlySet<Component>,
    catalogue: Catalogue,
  ): Promise<void> {
    const startedAt = performance.now();
    const steps = this.steps(flags);
    const cluster = await this.startCluster(folder, flags, without, catalogue, steps);
    try {
      // Sooner than the controller decides anything, which it does after a second of quiet.
      await sellOut(cluster.client, (flags['sold-out'] ?? []).map(patternOf), this.signal);
      const record = await this.writeAccess(folder, cluster, flags);
      this.say(`ready in ${((performance.now() - startedAt) / 1000).toFixed(1)}s\n`);
      this.sayNext(folder, record, flags, false);
      await this.follow(cluster, catalogue, steps, flags);
    } finally {
      await steps.step('stop', () => cluster.stop());
      // After a SIGTERM it may be "down" that goes on.
      if (interruptedByUser(this.signal.reason)) this.say(`state kept in ${folder.path}`);
    }
  }

  private async startCluster(
    folder: StateFolder,
    flags: UpFlags,
    without: ReadonlySet<Component>,
    catalogue: Catalogue,
    steps: StepReporter,
  ): Promise<RunningCluster> {
    const [{ EmbeddedRuntime }, parts] = await Promise.all([
      import('../src/runtimes/embedded.ts'),
      import('./embedded-cluster.ts'),
    ]);
    const options = {
      instanceTypes: catalogue.instanceTypes,
      featureGates: featureGatesFlag(flags['feature-gates']),
      times: {
        nodeJoinMs: durationFlag('node-join-delay', flags['node-join-delay']),
        nodeReadyMs: durationFlag('node-ready-delay', flags['node-ready-delay']),
        podStartMs: durationFlag('pod-start-delay', flags['pod-start-delay']),
      },
    };
    const runtime = new EmbeddedRuntime({
      clock: new RealClock(),
      random: new CryptoRandom(),
      components: parts.components(options),
      initialObjects: parts.initialObjects(options),
      onTrouble: (component, what, error) => {
        if (flags.v > 0) steps.note(`${component}: ${what}: ${error instanceof Error ? error.message : String(error)}`);
      },
    });
    const lastPort = Number(new URL((await folder.readRecord())?.server ?? 'https://localhost:0').port) || 0;
    const start = (port: number) =>
      runtime.start({ name: folder.name, stateDir: folder.path, port, without }, steps, this.signal);
    try {
      return await start(flags.port ?? lastPort);
    } catch (error) {
      // The port of the last time is only a preference.
      const retry = error instanceof Error && error.name === 'PortBusyError' && flags.port === undefined;
      if (!retry) throw startError(error, folder);
      return await start(0).catch((second: unknown) => Promise.reject(startError(second, folder)));
    }
  }

  private async writeAccess(folder: StateFolder, cluster: RunningCluster, flags: UpFlags): Promise<ClusterRecord> {
    const clock = new RealClock();
    const { server, certificateAuthority, token } = cluster.access;
    const context = contextName(folder.name);
    const before = await folder.readRecord();
    const { file, previousContext } = await writeContext(
      kubeconfigFiles(flags.kubeconfig, this.io.env),
      {
        name: context,
        namespace: 'default',
        cluster: { server, 'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64') },
        user: { ...(token ? { token } : {}) },
      },
      { select: true, clock },
    ).catch((error: unknown) => Promise.reject(kubeconfigError(error)));
    const previous = previousContext ?? before?.previousContext;
    const record: ClusterRecord = {
      name: folder.name,
      server,
      kubeconfig: file,
      context,
      ...(previous ? { previousContext: previous } : {}),
      startedAt: formatTimestamp(clock.now()),
      pid: process.pid,
    };
    await folder.writeRecord(record);
    return record;
  }

  private sayNext(folder: StateFolder, record: ClusterRecord, flags: UpFlags, detached: boolean): void {
    const root = this.config.root;
    this.say(
      nextCommands({
        clusterName: folder.name,
        kubeconfig: flags.kubeconfig ? record.kubeconfig : undefined,
        binFolder: join(root, 'bin'),
        examplesFolder: this.io.cwd === root ? 'examples' : join(root, 'examples'),
        env: this.io.env,
        style: styleFor(terminalOf(this.io.stderr, this.io.env, flags.color)),
        detached,
      }),
    );
  }

  /** Tells what Karpenter decides until the cluster is stopped or fails. */
  private async follow(
    { client, failed }: RunningCluster,
    { instanceTypes }: Catalogue,
    steps: StepReporter,
    flags: UpFlags,
  ): Promise<void> {
    const following = new AbortController();
    const style = styleFor(terminalOf(this.io.stderr, this.io.env, flags.color));
    const tell = (line: string): void => steps.note(line);
    const input = { client, clock: new RealClock(), random: new CryptoRandom(), style, instanceTypes, tell };
    const told = followDecisions(input, following.signal);
    const stopped = new Promise<never>((_, reject) => {
      const stop = (): void => reject(this.signal.reason);
      if (this.signal.aborted) stop();
      else this.signal.addEventListener('abort', stop, { once: true });
    });
    try {
      await Promise.race([stopped, failed]);
    } finally {
      following.abort();
      await told.catch(() => undefined);
    }
  }
}

type UpFlags = Interfaces.InferredFlags<typeof flagsOfUp & typeof globalFlags>;

function interruptedByUser(reason: unknown): boolean {
  return reason instanceof Interrupted && reason.exitCode === EXIT.interrupted;
}

function componentsOf(text: string): ReadonlySet<Component> {
  const words = text.split(',').filter(Boolean);
  for (const word of words) {
    if (!(COMPONENTS as readonly string[]).includes(word)) {
      throw new UsageError(`--without "${word}": no such component`, {
        because: [`there are ${COMPONENTS.join(', ')}`],
      });
    }
  }
  return new Set(words as Component[]);
}

function kubeconfigError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'KubeconfigError') return error;
  const { file } = error as Error & { readonly file?: string };
  return new UserError(`kubeconfig${file ? ` ${file}` : ''} can't be used`, {
    code: 'KE1201',
    because: [error.message.split('\n')[0] ?? ''],
    hints: ['--kubeconfig FILE, to write the context elsewhere'],
    cause: error,
  });
}
