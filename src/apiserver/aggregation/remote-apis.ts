import type { Clock } from '../../kube/clock.ts';
import { isConflict, isNotFound } from '../../kube/errors.ts';
import type { ClientCertificate } from '../certificates/signing-authority.ts';
import { asArray, asNumber, asObject, asObjects, asString, timestamp } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { nameOf, resourceVersionOf, uidOf } from '../object-meta.ts';
import type { ApiGroup } from '../registry/catalog.ts';
import type { Store } from '../store/store.ts';
import { unavailableService } from './service-condition.ts';

const COLLECTION = 'apiregistration.k8s.io/apiservices';
/** What decides whether a server can be reached. */
const WATCHED = ['services', 'endpoints', 'discovery.k8s.io/endpointslices'];
const AGAIN = 30_000;
const PATIENCE = 5000;

export interface RemoteApisDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** The certificate by which servers know that it is the aggregator that asks. */
  readonly certificate: () => Promise<ClientCertificate>;
  readonly writeStatus: (name: string, resourceVersion: string, status: JsonObject) => Promise<void>;
}

const isRemote = (service: JsonObject): boolean => {
  const { service: reference } = asObject(service.spec);
  return reference !== undefined && reference !== null;
};

const availableOf = (service: JsonObject): JsonObject | undefined =>
  asObjects(asObject(service.status).conditions).find(({ type }) => type === 'Available');

export const isAvailable = (service: JsonObject): boolean => availableOf(service)?.status === 'True';

/** The APIs of other servers that APIServices announce (kube-aggregator): which there are, and which can be reached. */
export class RemoteApis {
  readonly #deps: RemoteApisDeps;
  /** What each serves, by the uid of its APIService, as it said last. */
  readonly #resources = new Map<string, readonly JsonObject[]>();
  #certificate: Promise<ClientCertificate> | undefined;
  #cancel: (() => void) | undefined;
  #checking = false;
  #due = false;

  constructor(deps: RemoteApisDeps) {
    this.#deps = deps;
  }

  /** Keeps conditions true from now on; returns how to stop. */
  start(): () => void {
    const { store } = this.#deps;
    const stops = [COLLECTION, ...WATCHED].map((collection) =>
      store.subscribe(collection, store.revision, ({ object }) => {
        if (collection === COLLECTION ? isRemote(object) : this.#all().length > 0) this.#check();
      }),
    );
    if (this.#all().length > 0) this.#check();
    return () => {
      this.#cancel?.();
      this.#cancel = undefined;
      for (const stop of stops) stop();
    };
  }

  /** The APIService that announces a version at another server. */
  find(group: string, version: string): JsonObject | undefined {
    const service = this.#deps.store.get(COLLECTION, `${version}.${group}`);
    return service !== undefined && isRemote(service) ? service : undefined;
  }

  /** The groups of other servers, best first. */
  groups(): readonly ApiGroup[] {
    const services = this.#all().toSorted(
      (a, b) => priority(b, 'groupPriorityMinimum') - priority(a, 'groupPriorityMinimum'),
    );
    const byGroup = Map.groupBy(services, (service) => asString(asObject(service.spec).group));
    return [...byGroup].map(([name, list]) => ({
      name,
      versions: list
        .toSorted((a, b) => priority(b, 'versionPriority') - priority(a, 'versionPriority'))
        .map((service) => asString(asObject(service.spec).version)),
    }));
  }

  /** What a version of another server serves, as it said last; undefined if it hasn't said. */
  resources(group: string, version: string): readonly JsonObject[] | undefined {
    const service = this.find(group, version);
    return service && isAvailable(service) ? this.#resources.get(uidOf(service)) : undefined;
  }

  certificate(): Promise<ClientCertificate> {
    this.#certificate ??= this.#deps.certificate();
    return this.#certificate;
  }

  #all(): readonly JsonObject[] {
    return this.#deps.store
      .list(COLLECTION)
      .map(([, service]) => service)
      .filter(isRemote);
  }

  /** Looks at all of them, one round after the other; changes that come meanwhile make one more round. */
  #check(): void {
    this.#due = true;
    if (this.#checking) return;
    this.#checking = true;
    this.#cancel?.();
    void this.#rounds().finally(() => {
      this.#checking = false;
      if (this.#all().length === 0) return;
      this.#cancel = this.#deps.clock.setTimeout(() => this.#check(), AGAIN);
    });
  }

  async #rounds(): Promise<void> {
    while (this.#due) {
      this.#due = false;
      await Promise.all(this.#all().map((service) => this.#checkOne(service)));
    }
  }

  async #checkOne(service: JsonObject): Promise<void> {
    const found = await this.#conditionOf(service);
    const before = availableOf(service);
    if (before && ['status', 'reason', 'message'].every((name) => before[name] === found[name])) return;
    const since = before?.status === found.status ? before?.lastTransitionTime : undefined;
    const now = timestamp(this.#deps.clock.now());
    const condition = { type: 'Available', lastTransitionTime: since ?? now, ...found };
    const others = asArray(asObject(service.status).conditions).filter((one) => asObject(one).type !== 'Available');
    try {
      const status = { conditions: [...others, condition] };
      await this.#deps.writeStatus(nameOf(service), resourceVersionOf(service), status);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  async #conditionOf(service: JsonObject): Promise<JsonObject> {
    const { store, clock } = this.#deps;
    const { group, version, service: reference } = asObject(service.spec);
    const unavailable = unavailableService(store, asObject(reference));
    if (unavailable !== undefined) return { status: 'False', ...unavailable };
    const { connectionTo, fetchJson, userHeaders } = await import('./remote-request.ts');
    const aggregator = { name: 'system:kube-aggregator', groups: ['system:masters'] };
    try {
      const connection = connectionTo(store, service, await this.certificate());
      const path = `/apis/${asString(group)}/${asString(version)}`;
      const list = await fetchJson(clock, { ...connection, path, most: PATIENCE, headers: userHeaders(aggregator) });
      this.#resources.set(uidOf(service), asObjects(list.resources));
      return { status: 'True', reason: 'Passed', message: 'all checks passed' };
    } catch (error) {
      return { status: 'False', reason: 'FailedDiscoveryCheck', message: (error as Error).message };
    }
  }
}

const priority = (service: JsonObject, name: string): number => asNumber(asObject(service.spec)[name]);
