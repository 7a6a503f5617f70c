import type { Client, Resource } from '../kube/client.ts';
import type { Change } from '../kube/informer.ts';
import type { Informers } from '../kube/informers.ts';
import type { KubeObject, OwnerReference } from '../kube/objects.ts';
import * as resources from '../kube/resources.ts';

interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean; readonly storage: boolean }[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const Definitions = resources.CustomResourceDefinitions as unknown as Resource<Definition>;

/** The same Events under another group's name; and kinds whose definitions, if any, are found at run time. */
const NOT_LISTED: ReadonlySet<unknown> = new Set([
  resources.EventsV1,
  resources.NodePools,
  resources.NodeClaims,
  resources.NodeOverlays,
  resources.CapacityBuffers,
]);

const BUILT_IN: readonly Resource[] = Object.values(resources).filter(
  (value): value is Resource => typeof value === 'object' && 'plural' in value && !NOT_LISTED.has(value),
);

/**
 * All resources of the API whose objects can own, be owned and be deleted: the built-in ones that this API has, and the
 * custom ones as they come. They are found by asking, so a resource that an API lacks is left out.
 */
export class ResourceDirectory {
  readonly #client: Client;
  readonly #informers: Informers;
  readonly #known = new Map<string, Resource>();
  readonly #listeners: ((resource: Resource) => void)[] = [];

  constructor(deps: { readonly client: Client; readonly informers: Informers }) {
    this.#client = deps.client;
    this.#informers = deps.informers;
    deps.informers.for(Definitions).onChange((change) => this.#onDefinition(change));
  }

  get all(): readonly Resource[] {
    return [...this.#known.values()];
  }

  /** Calls `listener` for all known resources and for those to come. */
  onResource(listener: (resource: Resource) => void): void {
    this.#listeners.push(listener);
    for (const resource of this.#known.values()) listener(resource);
  }

  /** Looks for the built-in resources; resolves when the custom ones that are there now are known too. */
  async discover(): Promise<void> {
    await Promise.all(
      BUILT_IN.map(async (resource) => {
        const found = await this.#client.list(resource, { limit: 1 }).catch(() => undefined);
        if (found) this.#add(resource);
      }),
    );
    await this.#informers.for(Definitions).synced;
  }

  /** The resource of an owner, if it is known. */
  ofOwner({ apiVersion, kind }: OwnerReference): Resource | undefined {
    const slash = apiVersion.indexOf('/');
    return this.#known.get(`${slash < 0 ? '' : apiVersion.slice(0, slash)}/${kind}`);
  }

  #onDefinition({ type, object: { spec, status } }: Change<Definition>): void {
    const version =
      spec.versions.find(({ served, storage }) => served && storage) ?? spec.versions.find(({ served }) => served);
    const established = status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True');
    if (type === 'Deleted') this.#known.delete(`${spec.group}/${spec.names.kind}`);
    else if (version && established) {
      const { plural, kind } = spec.names;
      this.#add({ group: spec.group, version: version.name, plural, kind, namespaced: spec.scope === 'Namespaced' });
    }
  }

  #add(resource: Resource): void {
    const key = `${resource.group}/${resource.kind}`;
    if (this.#known.has(key)) return;
    this.#known.set(key, resource);
    for (const listener of this.#listeners) listener(resource);
  }
}
