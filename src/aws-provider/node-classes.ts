import type { Client } from '../kube/client.ts';
import { isNotFound } from '../kube/errors.ts';
import type { Informer } from '../kube/informer.ts';
import type { Informers } from '../kube/informers.ts';
import { type EC2NodeClass, Ec2NodeClasses } from './apis/ec2-node-class.ts';
import type { NodeClassReader } from './providers/contracts.ts';

/** EC2NodeClasses by name: from the controllers' cache once that knows them, and before from the API. */
export class NodeClasses implements NodeClassReader {
  readonly #client: Client;
  #informer: Informer<EC2NodeClass> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  attach(informers: Informers): void {
    this.#informer = informers.for(Ec2NodeClasses);
  }

  async get(name: string, signal?: AbortSignal): Promise<EC2NodeClass | undefined> {
    if (this.#informer?.hasSynced) return this.#informer.store.get(name);
    try {
      return await this.#client.get(Ec2NodeClasses, { name }, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
