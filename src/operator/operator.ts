import { useLabelAliases } from '../apis/normalized-labels.ts';
import { MeasuredCloudProvider } from '../cloudprovider/measured-cloud-provider.ts';
import type { CloudProvider } from '../cloudprovider/types.ts';
import { feedCluster } from '../controllers/cluster-feed.ts';
import type { ControllerContext } from '../controllers/context.ts';
import { addIndexes } from '../controllers/indexes.ts';
import { clusterStateSeries } from '../controllers/metrics/cluster-state-series.ts';
import { RegistrationHealth } from '../controllers/nodepool/registration-health.ts';
import { Objects } from '../controllers/objects.ts';
import type { PassDeadline } from '../controllers/provisioning/provisioner.ts';
import { EventRecorder } from '../events/event-recorder.ts';
import type { Recorder } from '../events/recorder.ts';
import type { Client, Resource } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import type { ControllerSpec } from '../kube/controller.ts';
import { ApiError, isExpired } from '../kube/errors.ts';
import { Informers } from '../kube/informers.ts';
import { Manager } from '../kube/manager.ts';
import { Leases, NodeClaims, NodePools, Nodes, Pods } from '../kube/resources.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { Cluster } from '../state/cluster.ts';
import { PoolCosts } from '../state/pool-costs.ts';
import { concurrencyOf } from './concurrency.ts';
import { ControllerMetrics } from './controller-metrics.ts';
import { createControllers } from './controllers.ts';
import { CurrentController } from './current-controller.ts';
import { DEFAULT_LEASE_NAMESPACE, LeaderElection } from './leader-election.ts';
import type { OperatorOptions } from './options.ts';
import { reconcileFields } from './reconcile-fields.ts';

export interface OperatorDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly cloud: CloudProvider;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly options: OperatorOptions;
  /** When a provisioning pass that began at `start` has used up its time; after a minute unless told. */
  readonly passDeadline?: PassDeadline;
  /** Writes events to the API unless told. */
  readonly recorder?: Recorder;
  /** Who this is in leader election; made up unless told. */
  readonly identity?: string;
  /** Where the controller runs: the lease is there unless the options say otherwise. */
  readonly namespace?: string;
  /** For the lease: a queue of other requests must not cost the leadership. `client` unless told. */
  readonly leaseClient?: Client;
  /** The provider's own controllers, over what the others are built from. */
  readonly providerControllers?: (context: ControllerContext) => readonly ControllerSpec[];
  /** Milliseconds that work under way may take to end when it is to stop; none unless told. */
  readonly graceMs?: number;
  /** Measure the calls of the provider, by the controllers that make them. */
  readonly measuresProvider?: boolean;
}

/** What the picture of the cluster is made from. */
const FIRST: readonly Resource[] = [NodePools, NodeClaims, Nodes, Pods];

/** Karpenter's controller, over any API, provider and clock. */
export class Operator {
  readonly cluster: Cluster;
  readonly informers: Informers;
  readonly #deps: OperatorDeps;
  readonly #costs = new PoolCosts();
  readonly #manager: Manager;
  readonly #context: ControllerContext;
  readonly #current = new CurrentController();

  constructor(deps: OperatorDeps) {
    this.#deps = deps;
    const { client, clock, random, log } = deps;
    useLabelAliases(deps.cloud);
    this.informers = new Informers({
      client,
      clock,
      random,
      onError: (error, resource) => this.#tellFailedWatch(error, resource),
    });
    this.cluster = new Cluster({ clock });
    addIndexes(this.informers);
    feedCluster({ informers: this.informers, cluster: this.cluster, cloud: deps.cloud });
    deps.metrics.collect(() => clusterStateSeries(this.cluster));
    const measured = new ControllerMetrics(deps);
    const within = log.within?.bind(log);
    this.#manager = new Manager({
      clock,
      informers: this.informers,
      observerOf: (controller) => measured.observerOf(controller),
      onReconciled: (end) => {
        measured.reconciled(end);
        const { controller, key, error } = end;
        if (error !== undefined) log.error('Reconciler error', error, reconcileFields(controller, key));
      },
      ...(deps.graceMs === undefined ? {} : { graceMs: deps.graceMs }),
      around: (controller, key, work) =>
        this.#current.run(controller, () =>
          within ? within({ ...reconcileFields(controller, key), reconcileID: random.uuid() }, work) : work(),
        ),
    });
    this.#context = this.#contextOf();
    const specs = [...createControllers(this.#context, deps.options, random, deps.passDeadline)];
    specs.push(...(deps.providerControllers?.(this.#context) ?? []));
    for (const spec of specs) {
      const controller = this.#manager.add(spec, concurrencyOf(spec.name, deps.options.cpuRequests));
      measured.add(controller);
      if ('attach' in spec) spec.attach(controller.queue);
    }
  }

  /** Upstream's names of the controllers that these options ask for. */
  get controllers(): readonly string[] {
    return this.#manager.controllers;
  }

  /** What /readyz asks for, by upstream's names: caches that hold the whole cluster, and Karpenter's definitions in it. */
  get checks(): Readonly<Record<string, boolean>> {
    const { informers } = this;
    return {
      manager: FIRST.every((resource) => informers.for(resource).hasSynced),
      crd: informers.for(NodePools).hasSynced && informers.for(NodeClaims).hasSynced,
      readyz: true,
    };
  }

  /**
   * Waits to lead, unless leader election is off, then works until the signal aborts. What is under way by then may end
   * within the time of grace, and only after that does the next leader take over.
   *
   * @throws {LeadershipLostError} at once: somebody else may lead already.
   */
  async start(signal: AbortSignal): Promise<void> {
    const { options } = this.#deps;
    if (options.disableLeaderElection) {
      await this.#run(signal);
      return;
    }
    // So that a standby is ready, and knows the cluster when it takes over.
    if (options.disableControllerWarmup) this.informers.startOnly(FIRST, signal);
    else this.informers.start(signal);
    const election = this.#election();
    try {
      await election.acquire(signal);
    } catch {
      // It rejects for the signal only.
      return;
    }
    const ended = new AbortController();
    const holding = election.hold(ended.signal);
    const working = this.#run(AbortSignal.any([signal, ended.signal]));
    try {
      await Promise.race([holding, working]);
    } finally {
      ended.abort();
      working.catch(() => undefined);
    }
    await holding;
  }

  #election(): LeaderElection {
    const { options, client, leaseClient = client, clock, log, metrics, random } = this.#deps;
    const { leaderElectionName: name, leaderElectionNamespace } = options;
    const { namespace = DEFAULT_LEASE_NAMESPACE, identity = random.uuid() } = this.#deps;
    const lease = { name, namespace: leaderElectionNamespace || namespace };
    const lock = `${lease.namespace}/${lease.name}`;
    metrics.gauge('leader_election_master_status', 0, { name });
    log.info('Attempting to acquire leader lease...', { lock });
    return new LeaderElection({
      client: leaseClient,
      clock,
      lease,
      identity,
      onError: (message, error) => log.error(message, error, { lock }),
      onChange: (leads, object) => {
        if (leads) log.info('Successfully acquired lease', { lock });
        metrics.gauge('leader_election_master_status', leads ? 1 : 0, { name });
        const message = `${identity} ${leads ? 'became leader' : 'stopped leading'}`;
        this.#context.recorder.publish({
          resource: Leases,
          object,
          type: 'Normal',
          reason: 'LeaderElection',
          message,
        });
      },
    });
  }

  /** A right or a definition that is missing keeps everything waiting; that a watch breaks or its history ends is routine. */
  #tellFailedWatch(error: unknown, resource: Resource): void {
    const { log } = this.#deps;
    const fields = { type: resource.kind, resource: resource.plural };
    const isBroken = !(error instanceof ApiError) && this.informers.for(resource).hasSynced;
    if (isExpired(error) || isBroken) log.debug('Watch closed', { ...fields, error: String(error) });
    else log.error('Failed to watch', error, fields);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { cloud } = this.#deps;
    await cloud.start?.(signal);
    const running = this.#manager.run(signal);
    void Promise.all(FIRST.map((resource) => this.informers.for(resource).synced)).then(() =>
      this.cluster.markHydrated(),
    );
    await running;
  }

  #cloud(): CloudProvider {
    const { cloud, clock, metrics, measuresProvider } = this.#deps;
    const controller = (): string => this.#current.name;
    return measuresProvider ? new MeasuredCloudProvider({ cloud, clock, metrics, controller }) : cloud;
  }

  #contextOf(): ControllerContext {
    const { client, clock, log, metrics, random } = this.#deps;
    const objects = { client, clock, informers: this.informers };
    return {
      client,
      clock,
      cloud: this.#cloud(),
      log,
      metrics,
      informers: this.informers,
      cluster: this.cluster,
      recorder:
        this.#deps.recorder ??
        new EventRecorder({
          client,
          clock,
          random,
          onError: (error) => log.debug('event was not written', { error: String(error) }),
        }),
      nodePools: new Objects(objects, NodePools),
      nodeClaims: new Objects(objects, NodeClaims),
      nodes: new Objects(objects, Nodes),
      registrationHealth: new RegistrationHealth(),
      costs: this.#costs,
    };
  }
}
