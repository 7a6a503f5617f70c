import type { Resource } from './client.ts';
import { Informer, type InformerDeps, type InformerOptions } from './informer.ts';
import type { KubeObject } from './objects.ts';
import { groupResource } from './resources.ts';
import type { Reader } from './store.ts';

/** One informer per resource and filter, shared by everybody who asks. */
export class Informers {
  readonly #deps: InformerDeps;
  readonly #informers = new Map<string, Informer<never>>();
  readonly #running = new Map<Informer<never>, Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(deps: InformerDeps) {
    this.#deps = deps;
  }

  /** The informer of a resource; it starts with the others, or at once if they are running. */
  for<T extends KubeObject>(resource: Resource<T>, options: InformerOptions = {}): Informer<T> {
    const { namespace, labelSelector, fieldSelector, resync } = options;
    const key = JSON.stringify([
      groupResource(resource),
      resource.version,
      namespace,
      labelSelector,
      fieldSelector,
      resync,
    ]);
    const known = this.#informers.get(key) as Informer<T> | undefined;
    if (known !== undefined) return known;
    const informer = new Informer(this.#deps, resource, options);
    this.#informers.set(key, informer as unknown as Informer<never>);
    if (this.#signal !== undefined) this.#run(informer as unknown as Informer<never>, this.#signal);
    return informer;
  }

  /** The cache of a resource. */
  reader<T extends KubeObject>(resource: Resource<T>): Reader<T> {
    return this.for(resource).store;
  }

  /** Starts all informers, those yet to come included, until the signal aborts. */
  start(signal: AbortSignal): void {
    if (this.#signal !== undefined) return;
    this.#signal = signal;
    for (const informer of this.#informers.values()) this.#run(informer, signal);
  }

  /** Starts some before the others. */
  startOnly(resources: readonly Resource[], signal: AbortSignal): void {
    for (const resource of resources) this.#run(this.for(resource) as unknown as Informer<never>, signal);
  }

  /** Resolves when every informer asked for so far holds its first list. */
  async synced(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.synced));
  }

  /** Resolves when all informers have ended, after the signal. */
  async stopped(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  #run(informer: Informer<never>, signal: AbortSignal): void {
    if (!this.#running.has(informer)) this.#running.set(informer, informer.run(signal));
  }
}
