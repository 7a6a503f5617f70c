import { KWOK_ACCESS } from '../kwok-provider/access.ts';
import { KwokNodeClasses } from '../kwok-provider/apis/kwok-node-class.ts';
import { KWOK_NODE_CLASS_DEFINITION } from '../kwok-provider/apis/kwok-node-class-definition.ts';
import { KwokCloudProvider } from '../kwok-provider/cloud-provider.ts';
import { genericInstanceTypes, toInstanceType } from '../kwok-provider/instance-types/index.ts';
import { Interruption } from '../kwok-provider/interruption/controller.ts';
import { type NodeAgent, type NodeAgentDeps, nodeAgent } from '../kwok-provider/kubelet/node-agent.ts';
import type { NodeAgentOptions } from '../kwok-provider/kubelet/options.ts';
import type { CustomResourceDefinition } from '../src/apis/crds/definition.ts';
import { CORE_DEFINITIONS } from '../src/apis/crds/index.ts';
import { ApiServer } from '../src/apiserver/index.ts';
import type { CloudProvider } from '../src/cloudprovider/types.ts';
import { type ControlPlaneOptions, controlPlane } from '../src/control-plane/control-plane.ts';
import { Scheduler } from '../src/control-plane/scheduler/scheduler.ts';
import type { PassDeadline } from '../src/controllers/provisioning/provisioner.ts';
import type { AccessRule } from '../src/kube/access-rule.ts';
import type { Client } from '../src/kube/client.ts';
import { Informers } from '../src/kube/informers.ts';
import { Manager } from '../src/kube/manager.ts';
import type { KubeObject } from '../src/kube/objects.ts';
import { CustomResourceDefinitions } from '../src/kube/resources.ts';
import { type Logger, SILENT } from '../src/logging/logger.ts';
import { type Metrics, NO_METRICS } from '../src/metrics/metrics.ts';
import { Operator, type OperatorDeps } from '../src/operator/operator.ts';
import { DEFAULT_OPTIONS, type OperatorOptions } from '../src/operator/options.ts';
import { SeededRandom } from '../src/operator/random.ts';
import { clusterAccess, leaseAccess } from '../src/operator/rbac.ts';
import { VirtualClock } from '../src/simulation/virtual-clock.ts';
import { GuardedClient } from './support/guarded-client.ts';

/** An embedded API with Karpenter's definitions and a node class, on virtual time; nothing runs in it yet. */
export class TestEnvironment {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly api: ApiServer;
  readonly client: Client;
  readonly #guards: GuardedClient[] = [];
  readonly #stop = new AbortController();

  private constructor(parts: Pick<TestEnvironment, 'clock' | 'random' | 'api'>) {
    this.clock = parts.clock;
    this.random = parts.random;
    this.api = parts.api;
    this.client = parts.api.client('test');
  }

  /** @param definitions of custom resources beyond core's; those of the kwok provider, and a class of it, unless told. */
  static async open(
    seed = 1,
    definitions: readonly CustomResourceDefinition[] = [...CORE_DEFINITIONS, KWOK_NODE_CLASS_DEFINITION],
  ): Promise<TestEnvironment> {
    const clock = new VirtualClock();
    const random = new SeededRandom(seed);
    const api = await ApiServer.open({ clock, random });
    const environment = new TestEnvironment({ clock, random, api });
    for (const definition of definitions) {
      await environment.client.create(CustomResourceDefinitions, definition as unknown as KubeObject);
    }
    await clock.settle();
    if (definitions.includes(KWOK_NODE_CLASS_DEFINITION)) {
      await environment.client.create(KwokNodeClasses, {
        apiVersion: 'karpenter.kwok.sh/v1alpha1',
        kind: 'KWOKNodeClass',
        metadata: { name: 'default' },
        spec: {},
      });
    }
    return environment;
  }

  kwok(client: Client = this.api.client('karpenter')): KwokCloudProvider {
    const instanceTypes = genericInstanceTypes().map(toInstanceType);
    return new KwokCloudProvider({ client, clock: this.clock, instanceTypes });
  }

  /** All that controllers have asked of the API so far, as `accessText` words it. */
  get used(): ReadonlySet<string> {
    return new Set(this.#guards.flatMap(({ used }) => [...used]));
  }

  /**
   * Starts the controller, which may do what its roles allow; `kill` stops it, as if its process had ended, and `ended`
   * tells when it has, or why it stopped by itself.
   */
  startOperator(
    changes: Partial<OperatorOptions> = {},
    parts: {
      readonly cloud?: CloudProvider;
      readonly log?: Logger;
      readonly client?: Client;
      readonly metrics?: Metrics;
      readonly passDeadline?: PassDeadline;
      readonly identity?: string;
      readonly leaseClient?: Client;
      readonly graceMs?: number;
      readonly measuresProvider?: boolean;
      readonly providerControllers?: OperatorDeps['providerControllers'];
      /** What the provider may do in the cluster; what kwok's does unless told. */
      readonly access?: readonly AccessRule[];
    } = {},
  ): { readonly operator: Operator; readonly ended: Promise<void>; readonly kill: () => Promise<void> } {
    const options: OperatorOptions = { ...DEFAULT_OPTIONS, disableLeaderElection: true, ...changes };
    const { access = KWOK_ACCESS, ...given } = parts;
    const client = this.#guarded(given.client ?? this.api.client('karpenter'), options, access);
    const operator = new Operator({
      clock: this.clock,
      random: this.random,
      cloud: this.kwok(client),
      log: SILENT,
      metrics: NO_METRICS,
      providerControllers: (context) => [new Interruption(context)],
      ...given,
      client,
      options,
    });
    const stop = new AbortController();
    const ended = operator.start(AbortSignal.any([stop.signal, this.#stop.signal]));
    // Whoever wants to know awaits it.
    ended.catch(() => undefined);
    const kill = async (): Promise<void> => {
      stop.abort(new Error('killed'));
      await ended;
    };
    return { operator, ended, kill };
  }

  #guarded(client: Client, options: OperatorOptions, access: readonly AccessRule[]): GuardedClient {
    const rules = [...clusterAccess(options), ...leaseAccess(options), ...access];
    const guard = new GuardedClient(client, rules);
    this.#guards.push(guard);
    return guard;
  }

  /** Starts what a cluster has beside the API: scheduler, controllers, and the kubelets of all fake nodes. */
  startCluster(
    options: { readonly controlPlane?: ControlPlaneOptions; readonly kubelets?: Partial<NodeAgentOptions> } = {},
  ): void {
    this.#start('control-plane', (parts) => ({
      controllers: controlPlane({ ...parts, recorderFor: () => ({ event: () => {} }) }, options.controlPlane),
      runnables: [new Scheduler({ ...parts, recorderFor: () => ({ event: () => {} }) })],
    }));
    this.#start('kubelet', (parts) => nodeAgent(parts, options.kubelets));
  }

  #start(user: string, make: (parts: NodeAgentDeps) => NodeAgent): void {
    const deps = { client: this.api.client(user), clock: this.clock, random: this.random };
    const informers = new Informers(deps);
    const manager = new Manager({ clock: this.clock, informers });
    const { controllers, runnables } = make({ ...deps, informers });
    for (const controller of controllers) manager.add(controller);
    for (const runnable of runnables) manager.addRunnable(runnable);
    void manager.run(this.#stop.signal);
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the test is over'));
    await this.clock.settle();
    await this.api.stop();
    const refused = this.#guards.flatMap((guard) => [...guard.refused]);
    if (refused.length > 0) throw new Error(`asked of the API, but granted by no rule: ${refused.join(', ')}`);
  }
}
