import type { Resource } from '../../kube/client.ts';
import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import { isAlreadyExists, isNotFound } from '../../kube/errors.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { KubeObject, Pod } from '../../kube/objects.ts';
import { isTerminating } from '../../kube/pods.ts';
import { EndpointSlices, Endpoints, Nodes, Pods, Services } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { deepEqual } from '../deep-equal.ts';
import { type Controlled, controlledBy } from '../indexes.ts';
import { Throttle } from '../throttle.ts';
import { isNamespaceTerminating } from '../writes/pod-control.ts';
import { type EndpointSlice, endpointSlices, endpointsObject, MANAGED_BY, MANAGER, type Service } from './endpoints.ts';

const TypedServices = Services as unknown as Resource<Service>;
const TypedSlices = EndpointSlices as unknown as Resource<EndpointSlice>;
const ZONE = 'topology.kubernetes.io/zone';
const WORKERS = 4;

/** Writes down the addresses of the pods behind each Service. */
export function endpointsController(deps: ControlPlaneDeps): ControllerSpec {
  const reconciler = new EndpointsReconciler(deps);
  return {
    name: 'endpointslice',
    workers: WORKERS,
    watches: [
      watch(TypedServices),
      watch(Pods, ({ object, old }) =>
        old && !concernsEndpoints(old, object) ? [] : reconciler.servicesOf(object, old),
      ),
      watch(TypedSlices, () => []),
      watch(Nodes, () => []),
    ],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

function concernsEndpoints(before: Pod, after: Pod): boolean {
  return (
    before.status?.podIP !== after.status?.podIP ||
    before.status?.phase !== after.status?.phase ||
    isTerminating(before) !== isTerminating(after) ||
    !deepEqual(before.metadata.labels, after.metadata.labels) ||
    !deepEqual(before.status?.conditions, after.status?.conditions)
  );
}

class EndpointsReconciler {
  readonly #deps: ControlPlaneDeps;
  readonly #slicesOf: Controlled<EndpointSlice>;
  readonly #throttle: Throttle;

  constructor(deps: ControlPlaneDeps) {
    this.#deps = deps;
    this.#throttle = new Throttle(deps);
    this.#slicesOf = controlledBy(deps.informers.for(TypedSlices));
  }

  servicesOf(pod: Pod, old: Pod | undefined): readonly string[] {
    const services = this.#deps.informers.reader(TypedServices).list(pod.metadata.namespace);
    return services.filter((service) => selectsPod(service, pod) || (old && selectsPod(service, old))).map(keyOf);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { informers } = this.#deps;
    const service = informers.reader(TypedServices).get(key);
    if (!service?.spec.selector || service.spec.type === 'ExternalName' || isTerminating(service)) {
      this.#throttle.forget(key);
      return undefined;
    }
    const tooSoon = this.#throttle.wait(key);
    if (tooSoon > 0) return { requeueAfter: tooSoon };
    const pods = informers
      .reader(Pods)
      .list(service.metadata.namespace)
      .filter((pod) => selectsPod(service, pod));
    this.#throttle.ran(key, pods.length);
    const nodes = informers.reader(Nodes);
    const wanted = endpointSlices(service, pods, (node) => nodes.get(node)?.metadata.labels?.[ZONE]);
    try {
      await this.#writeSlices(service, wanted, signal);
      await this.#writeEndpoints(endpointsObject(service, wanted), signal);
    } catch (error) {
      if (!isNamespaceTerminating(error) && !isNotFound(error)) throw error;
    }
    return undefined;
  }

  async #writeSlices(service: Service, wanted: readonly EndpointSlice[], signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const left = new Map(
      this.#slicesOf
        .of(service)
        .filter(({ metadata }) => metadata.labels?.[MANAGED_BY] === MANAGER)
        .map((slice) => [slice.metadata.name, slice]),
    );
    for (const slice of wanted) {
      const old = left.get(slice.metadata.name);
      left.delete(slice.metadata.name);
      if (old === undefined) await client.create(TypedSlices, slice, {}, signal);
      else if (!deepEqual(contentOf(old), contentOf(slice))) {
        const { endpoints, ports } = slice;
        const metadata = { ...old.metadata, labels: slice.metadata.labels };
        await client.update(TypedSlices, { ...old, metadata, endpoints, ports }, {}, signal);
      }
    }
    for (const { metadata } of left.values()) {
      await client.delete(TypedSlices, { name: metadata.name, namespace: metadata.namespace }, {}, signal);
    }
  }

  async #writeEndpoints(wanted: KubeObject, signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const { name, namespace } = wanted.metadata;
    try {
      const old = await client.get(Endpoints, { name, namespace }, signal);
      const same = deepEqual([subsetsOf(old), old.metadata.labels], [subsetsOf(wanted), wanted.metadata.labels]);
      if (!same) {
        const metadata = { ...old.metadata, labels: wanted.metadata.labels };
        await client.update(Endpoints, { ...wanted, metadata }, {}, signal);
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await client.create(Endpoints, wanted, {}, signal).catch((again: unknown) => {
        if (!isAlreadyExists(again)) throw again;
      });
    }
  }
}

function selectsPod(service: Service, pod: Pod): boolean {
  const selector = Object.entries(service.spec.selector ?? {});
  return selector.length > 0 && selector.every(([key, value]) => pod.metadata.labels?.[key] === value);
}

function contentOf({ endpoints, ports, metadata }: EndpointSlice): unknown {
  return { endpoints, ports, labels: metadata.labels };
}

function subsetsOf(object: KubeObject): unknown {
  return (object as { readonly subsets?: unknown }).subsets;
}
