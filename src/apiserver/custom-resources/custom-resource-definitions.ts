import type { CustomResourceDefinition } from '../../apis/crds/definition.ts';
import type { Clock, Random } from '../../kube/clock.ts';
import { jsonEqual } from '../../kube/json-equal.ts';
import { CustomResourceKind } from '../crd/custom-resource-kind.ts';
import { definitionStatus, takenNames } from '../crd/definition/definition-status.ts';
import { timestamp } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { finalizersOf, isDeleting, nameOf, withMeta } from '../object-meta.ts';
import type { Catalog } from '../registry/catalog.ts';
import type { ServedKinds } from '../registry/served-kinds.ts';
import type { Store } from '../store/store.ts';
import { writeApiServices } from './api-services.ts';
import { cleanupFinalizer } from './cleanup-finalizer.ts';
import { customResources } from './custom-resources.ts';

const asDefinition = (object: JsonObject): CustomResourceDefinition => object as unknown as CustomResourceDefinition;

const collection = 'apiextensions.k8s.io/customresourcedefinitions';

export interface CustomResourceDefinitionsDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly kinds: ServedKinds;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Serves what CustomResourceDefinitions define, from the moment they are stored, and writes their status; removes the
 * custom resources of a definition that is deleted, and then the definition.
 */
export class CustomResourceDefinitions {
  readonly #deps: CustomResourceDefinitionsDeps;
  readonly #stops = new Map<string, () => void>();

  constructor(deps: CustomResourceDefinitionsDeps) {
    this.#deps = deps;
  }

  /** Serves what is stored, then follows changes. Returns how to stop. */
  start(): () => void {
    const { store } = this.#deps;
    const known = store.list(collection);
    const stop = store.subscribe(collection, store.revision, (event) => {
      if (event.type === 'DELETED') this.#gone(event.object);
      else this.#changed(event.object);
      writeApiServices(this.#deps);
    });
    for (const [, definition] of known) this.#changed(definition);
    writeApiServices(this.#deps);
    return () => {
      stop();
      for (const stopOne of this.#stops.values()) stopOne();
    };
  }

  #changed(definition: JsonObject): void {
    const { store } = this.#deps;
    const name = nameOf(definition);
    const current = store.get(collection, name);
    if (current !== definition) return;
    this.#serve(definition);
    const next = isDeleting(definition) ? this.#deleting(definition) : this.#accepted(definition);
    if (next === undefined) store.remove(collection, name);
    else if (!jsonEqual(next, definition)) store.put(collection, name, next);
  }

  /** The definition with what has come of its names, and whether it is served. */
  #accepted(definition: JsonObject): JsonObject {
    const { store, clock } = this.#deps;
    const typed = definition as unknown as CustomResourceDefinition;
    const others = store
      .list(collection)
      .map(([, other]) => other)
      .filter((other) => nameOf(other) !== nameOf(definition)) as unknown as readonly CustomResourceDefinition[];
    const status = definitionStatus(typed, takenNames(others, typed.spec.group), timestamp(clock.now()));
    return { ...definition, status: status as unknown as JsonObject };
  }

  #serve(definition: JsonObject): void {
    const { catalog, kinds } = this.#deps;
    const typed = asDefinition(definition);
    const resources = customResources(typed);
    for (const resource of resources)
      kinds.setCustom(resource, new CustomResourceKind(typed, resource.version, kinds.cel));
    catalog.setCustom(nameOf(definition), resources);
  }

  #gone(definition: JsonObject): void {
    const { catalog, kinds } = this.#deps;
    const name = nameOf(definition);
    for (const resource of customResources(asDefinition(definition))) {
      kinds.setCustom(resource, undefined);
    }
    catalog.setCustom(name, []);
    this.#stops.get(name)?.();
    this.#stops.delete(name);
  }

  /** The definition while its resources go; undefined when they are gone. */
  #deleting(definition: JsonObject): JsonObject | undefined {
    const { store, clock } = this.#deps;
    const [resource] = customResources(asDefinition(definition));
    const own = resource?.collection ?? '';
    const finalizers = finalizersOf(definition).filter((finalizer) => finalizer !== cleanupFinalizer);
    for (const [key, object] of store.list(own)) {
      if (isDeleting(object)) continue;
      if (finalizersOf(object).length === 0) store.remove(own, key);
      else {
        const marks = { deletionTimestamp: timestamp(clock.now()), deletionGracePeriodSeconds: 0 };
        store.put(own, key, withMeta(object, marks));
      }
    }
    if (store.count(own) > 0) {
      this.#waitForEmpty(nameOf(definition), own);
      return definition;
    }
    if (finalizers.length === 0) return undefined;
    return withMeta(definition, { finalizers });
  }

  #waitForEmpty(name: string, own: string): void {
    if (this.#stops.has(name)) return;
    const { store } = this.#deps;
    const stop = store.subscribe(own, store.revision, () => {
      const definition = store.get(collection, name);
      if (definition && isDeleting(definition) && store.count(own) === 0) this.#changed(definition);
    });
    this.#stops.set(name, stop);
  }
}
