import type { NodeOverlay } from '../apis/node-overlay.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { ControllerContext } from '../controllers/context.ts';
import { Objects } from '../controllers/objects.ts';
import type { Event, Recorder } from '../events/recorder.ts';
import type { Client } from '../kube/client.ts';
import { isNotFound } from '../kube/errors.ts';
import { NodeOverlays } from '../kube/resources.ts';
import { type EC2NodeClass, Ec2NodeClasses } from './apis/ec2-node-class.ts';
import type { NodeClassReader } from './providers/contracts.ts';

/**
 * The cluster as the provider sees it. It is made before the controllers are, and attached to their caches and recorder
 * once they exist; nothing has to be told before that.
 */
export class ClusterView implements NodeClassReader, Recorder {
  readonly #client: Client;
  #context: ControllerContext | undefined;
  #nodeClasses: Objects<EC2NodeClass> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  attach(context: ControllerContext): Objects<EC2NodeClass> {
    this.#context = context;
    this.#nodeClasses = new Objects(context, Ec2NodeClasses);
    return this.#nodeClasses;
  }

  /** From the controllers' cache once that knows all classes, before that from the API. */
  async get(name: string, signal?: AbortSignal): Promise<EC2NodeClass | undefined> {
    if (this.#context?.informers.for(Ec2NodeClasses).hasSynced) return this.#nodeClasses?.get(name);
    try {
      return await this.#client.get(Ec2NodeClasses, { name }, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  nodePool(name: string): NodePool | undefined {
    return this.#context?.nodePools.get(name);
  }

  nodeOverlays(): readonly NodeOverlay[] {
    return this.#context?.informers.reader(NodeOverlays).list() ?? [];
  }

  publish(...events: readonly Event[]): void {
    this.#context?.recorder.publish(...events);
  }
}
