import { ApiServer } from '../../src/apiserver/index.ts';
import { awsDefinitions } from '../../src/aws-provider/apis/crd/index.ts';
import type { Client, Resource } from '../../src/kube/client.ts';
import type { KubeObject } from '../../src/kube/objects.ts';
import { CustomResourceDefinitions } from '../../src/kube/resources.ts';
import { SeededRandom } from '../../src/operator/random.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** An embedded API with the definitions of a cluster on EC2, to ask what it takes. */
export class DefinitionsApi {
  readonly #api: ApiServer;
  readonly #client: Client;
  #count = 0;

  private constructor(api: ApiServer) {
    this.#api = api;
    this.#client = api.client('test');
  }

  static async open(): Promise<DefinitionsApi> {
    const clock = new VirtualClock();
    const api = await ApiServer.open({ clock, random: new SeededRandom(1) });
    const opened = new DefinitionsApi(api);
    for (const definition of awsDefinitions()) {
      await opened.#client.create(CustomResourceDefinitions, definition as unknown as KubeObject);
    }
    await clock.settle();
    return opened;
  }

  /** The object as the API keeps it. */
  create<T extends KubeObject>(resource: Resource<T>, spec: Fields): Promise<T> {
    return this.#client.create(resource, {
      apiVersion: `${resource.group}/${resource.version}`,
      kind: resource.kind,
      metadata: { name: `object-${++this.#count}` },
      spec,
    } as unknown as T);
  }

  /** What the API says against the object; nothing when it takes it. */
  async refusal<T extends KubeObject>(resource: Resource<T>, spec: Fields): Promise<string> {
    try {
      await this.create(resource, spec);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  }

  close(): Promise<void> {
    return this.#api.stop();
  }
}
