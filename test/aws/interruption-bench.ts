import type { NodeClaim } from '../../src/apis/node-claim.ts';
import { InterruptionHandler } from '../../src/aws-provider/controllers/interruption/interruption-handler.ts';
import { Objects } from '../../src/controllers/objects.ts';
import type { Event } from '../../src/events/recorder.ts';
import type { Client } from '../../src/kube/client.ts';
import type { ControllerSpec, Reconciled } from '../../src/kube/controller.ts';
import { Informers } from '../../src/kube/informers.ts';
import { Manager } from '../../src/kube/manager.ts';
import { NodeClaims, Nodes } from '../../src/kube/resources.ts';
import type { Logger } from '../../src/logging/logger.ts';
import { concurrencyOf } from '../../src/operator/concurrency.ts';
import { TestEnvironment } from '../environment.ts';
import { applied } from '../expectations/index.ts';
import { node, nodeClaim } from '../factories/index.ts';
import { CountedMetrics } from '../support/counted-metrics.ts';

/** An embedded API with claims on EC2, and what the interruption controllers make of news about their instances. */
export class InterruptionBench {
  readonly env: TestEnvironment;
  readonly metrics = new CountedMetrics();
  readonly events: Event[] = [];
  /** Lines of the log: message, and the error's if it is of one. */
  readonly log: string[] = [];
  /** What was marked as not to be had. */
  readonly marked: string[] = [];
  readonly ends: Reconciled[] = [];
  readonly handler: InterruptionHandler;
  readonly #informers: Informers;
  readonly #manager: Manager;
  readonly #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  private constructor(env: TestEnvironment, client: Client) {
    this.env = env;
    const parts = { client, clock: env.clock, random: env.random };
    this.#informers = new Informers(parts);
    const objects = { ...parts, informers: this.#informers };
    this.#manager = new Manager({ ...objects, graceMs: 10_000, onReconciled: (end) => this.ends.push(end) });
    this.handler = new InterruptionHandler({
      ...objects,
      nodeClaims: new Objects(objects, NodeClaims),
      nodes: new Objects(objects, Nodes),
      recorder: { publish: (...events) => this.events.push(...events) },
      metrics: this.metrics,
      log: this.logger,
      unavailableOfferings: {
        markUnavailable: (type, zone, capacityType, { reason }) =>
          this.marked.push(`${capacityType} ${type} ${zone}: ${reason}`),
      },
      capacityReservations: { markUnavailable: (...ids) => this.marked.push(...ids) },
    });
  }

  static async open(client?: (base: Client) => Client): Promise<InterruptionBench> {
    const env = await TestEnvironment.open();
    const base = env.api.client('karpenter');
    return new InterruptionBench(env, client?.(base) ?? base);
  }

  get logger(): Logger {
    const write = (message: string, error?: unknown): void => {
      this.log.push(error instanceof Error ? `${message}: ${error.message}` : message);
    };
    return { debug: (message) => write(message), info: (message) => write(message), error: write };
  }

  start(...controllers: readonly ControllerSpec[]): void {
    for (const controller of controllers) this.#manager.add(controller, concurrencyOf(controller.name, 1000));
    this.#ended = this.#manager.run(this.#stop.signal);
  }

  /** A claim, and its node, on an instance; they stay until their finalizers are taken away. */
  async instance(id: string, labels: Readonly<Record<string, string>> = {}): Promise<NodeClaim> {
    const providerID = `aws:///us-west-2a/${id}`;
    const [claim] = await applied(
      this.env,
      NodeClaims,
      nodeClaim({
        metadata: {
          name: `claim-${id}`,
          finalizers: ['karpenter.sh/termination'],
          labels: {
            'karpenter.sh/nodepool': 'web',
            'karpenter.sh/capacity-type': 'spot',
            'node.kubernetes.io/instance-type': 'm5.large',
            'topology.kubernetes.io/zone': 'us-west-2a',
            ...labels,
          },
        },
        status: { providerID },
      }),
    );
    if (!claim) throw new Error('no claim was made');
    await applied(this.env, Nodes, node({ metadata: { name: `node-${id}` }, spec: { providerID } }));
    return claim;
  }

  /** The claim of an instance, as the API has it; undefined when it is gone. */
  async claim(id: string): Promise<NodeClaim | undefined> {
    const { items } = await this.env.client.list(NodeClaims);
    return items.find(({ metadata }) => metadata.name === `claim-${id}`);
  }

  async isDeleted(id: string): Promise<boolean> {
    return (await this.claim(id))?.metadata.deletionTimestamp !== undefined;
  }

  /** Reason and object of what was told. */
  get told(): readonly string[] {
    return this.events.map(({ reason, object, type }) => `${type} ${reason} ${object.metadata.name}`);
  }

  /** Tells the controllers to stop; resolves when they have. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('stopped'));
    await this.#ended;
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the test is over'));
    await this.env.clock.advance(10_000);
    await this.#ended;
    await this.env.close();
  }
}
