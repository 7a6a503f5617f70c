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
import type { Client } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import { Informers } from '../kube/informers.ts';
import { Manager } from '../kube/manager.ts';
import { NodeClaims, NodePools, Nodes, Pods } from '../kube/resources.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { Cluster } from '../state/cluster.ts';
import { PoolCosts } from '../state/pool-costs.ts';
import { concurrencyOf } from './concurrency.ts';
import { ControllerMetrics } from './controller-metrics.ts';
import { createControllers } from './controllers.ts';
import { DEFAULT_LEASE_NAMESPACE, LeaderElection } from './leader-election.ts';
import type { OperatorOptions } from './options.ts';

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
}

/** Karpenter's controller, over any API, provider and clock. */
export class Operator {
  readonly cluster: Cluster;
  readonly informers: Informers;
  readonly #deps: OperatorDeps;
  readonly #costs = new PoolCosts();
  readonly #manager: Manager;

  constructor(deps: OperatorDeps) {
    this.#deps = deps;
    const { client, clock, random, log } = deps;
    this.informers = new Informers({
      client,
      clock,
      random,
      onError: (error, { plural }) => log.debug('watch failed', { resource: plural, error: String(error) }),
    });
    this.cluster = new Cluster({ clock });
    addIndexes(this.informers);
    feedCluster({ informers: this.informers, cluster: this.cluster, cloud: deps.cloud });
    deps.metrics.collect(() => clusterStateSeries(this.cluster));
    const measured = new ControllerMetrics(deps);
    this.#manager = new Manager({
      clock,
      informers: this.informers,
      observerOf: (controller) => measured.observerOf(controller),
      onReconciled: (end) => {
        measured.reconciled(end);
        const { controller, key, error } = end;
        if (error !== undefined) log.error('Reconciler error', error, { controller, name: key });
      },
    });
    for (const spec of createControllers(this.#context(), deps.options, random, deps.passDeadline)) {
      const controller = this.#manager.add(spec, concurrencyOf(spec.name, deps.options.cpuRequests));
      measured.add(controller);
      if ('attach' in spec) spec.attach(controller.queue);
    }
  }

  /** Upstream's names of the controllers that these options ask for. */
  get controllers(): readonly string[] {
    return this.#manager.controllers;
  }

  /** Whether the caches hold the whole cluster. */
  get ready(): boolean {
    return this.#followed().every(({ hasSynced }) => hasSynced);
  }

  /**
   * Waits to lead, unless leader election is off, then works until the signal aborts.
   *
   * @throws {LeadershipLostError}
   */
  async start(signal: AbortSignal): Promise<void> {
    const { options, client, clock, metrics, random, identity = random.uuid() } = this.#deps;
    if (options.disableLeaderElection) {
      await this.#run(signal);
      return;
    }
    const lease = {
      name: options.leaderElectionName,
      namespace: options.leaderElectionNamespace || DEFAULT_LEASE_NAMESPACE,
    };
    const election = new LeaderElection({ client, clock, lease, identity });
    const isLeader = (value: 0 | 1): void =>
      metrics.gauge('leader_election_master_status', value, { name: options.leaderElectionName });
    isLeader(0);
    await election.acquire(signal);
    isLeader(1);
    const lost = new AbortController();
    const held = election
      .hold(signal)
      .catch((error: unknown) => {
        lost.abort(error);
        throw error;
      })
      .finally(() => isLeader(0));
    await Promise.all([held, this.#run(AbortSignal.any([signal, lost.signal]))]);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { cloud } = this.#deps;
    await cloud.start?.(signal);
    const running = this.#manager.run(signal);
    void Promise.all(this.#followed().map(({ synced }) => synced)).then(() => this.cluster.markHydrated());
    await running;
  }

  /** What the picture of the cluster is made from. */
  #followed() {
    const { informers } = this;
    return [informers.for(NodePools), informers.for(NodeClaims), informers.for(Nodes), informers.for(Pods)];
  }

  #context(): ControllerContext {
    const { client, clock, cloud, log, metrics, random } = this.#deps;
    const objects = { client, clock, informers: this.informers };
    return {
      client,
      clock,
      cloud,
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
