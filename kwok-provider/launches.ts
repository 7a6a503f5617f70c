import type { NodeClaim } from '../src/apis/node-claim.ts';
import type { Client } from '../src/kube/client.ts';
import type { Clock } from '../src/kube/clock.ts';
import { isAlreadyExists, isNotFound } from '../src/kube/errors.ts';
import type { Node } from '../src/kube/objects.ts';
import { NodeClaims, Nodes } from '../src/kube/resources.ts';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;

interface Launch {
  readonly node: Node;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export interface LaunchesDeps {
  readonly client: Client;
  readonly clock: Clock;
}

/**
 * Instances that have been bought and whose Node is still to appear. A launch whose claim goes away meanwhile is dropped,
 * so that no node is left without a claim.
 */
export class Launches {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #byProviderID = new Map<string, Launch>();
  #isClosed = false;

  constructor({ client, clock }: LaunchesDeps) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Creates the node after the delay; does nothing if that is already under way, or once all has been called off. */
  begin(claim: NodeClaim, node: Node, delayMs: number): void {
    const id = node.spec.providerID ?? '';
    if (this.#isClosed || this.#byProviderID.has(id)) return;
    const stop = new AbortController();
    const done = this.#run(claim, node, delayMs, stop.signal)
      // It retries until it succeeds, so only calling it off ends it otherwise.
      .catch(() => undefined)
      .finally(() => this.#byProviderID.delete(id));
    this.#byProviderID.set(id, { node, stop, done });
  }

  /** The node to be, if the launch is still under way. */
  find(providerID: string): Node | undefined {
    return this.#byProviderID.get(providerID)?.node;
  }

  nodes(): Node[] {
    return [...this.#byProviderID.values()].map((launch) => launch.node);
  }

  /** Calls the launch off and waits until it can't make a node any more. */
  async cancel(providerID: string): Promise<void> {
    const launch = this.#byProviderID.get(providerID);
    launch?.stop.abort();
    await launch?.done;
  }

  /** Launches may begin, also again after all have been called off. */
  open(): void {
    this.#isClosed = false;
  }

  /**
   * Calls all launches off, and those that are yet to begin: a claim that is being bought while its controller stops gets
   * its node from the next one.
   */
  async cancelAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#byProviderID.keys()].map((id) => this.cancel(id)));
  }

  async #run(claim: NodeClaim, node: Node, delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs > 0) await this.#clock.sleep(delayMs, signal);
    for (let retry = FIRST_RETRY_MS; ; retry = Math.min(retry * 2, LAST_RETRY_MS)) {
      try {
        if (!(await this.#isWanted(claim, signal))) return;
        await this.#client.create(Nodes, node, {}, signal);
        return;
      } catch (error) {
        if (isAlreadyExists(error)) return;
        signal.throwIfAborted();
        await this.#clock.sleep(retry, signal);
      }
    }
  }

  async #isWanted(claim: NodeClaim, signal: AbortSignal): Promise<boolean> {
    try {
      const current = await this.#client.get(NodeClaims, { name: claim.metadata.name }, signal);
      return current.metadata.uid === claim.metadata.uid && !current.metadata.deletionTimestamp;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}
