import type { Container, ContainerStatus, Pod, PodSpec, PodStatus, ResourceList } from './objects.ts';
import { parseQuantityMilli } from './quantity.ts';

/** Resource name → thousandths, while it is being added up. */
type Amounts = Record<string, number>;

function toAmounts(list: ResourceList | undefined): Amounts {
  const amounts: Amounts = {};
  for (const name in list) amounts[name] = parseQuantityMilli(String(list[name]));
  return amounts;
}

function add(into: Amounts, amounts: Readonly<Amounts>): void {
  for (const name in amounts) into[name] = (into[name] ?? 0) + (amounts[name] ?? 0);
}

function raise(into: Amounts, amounts: Readonly<Amounts>): void {
  for (const name in amounts) {
    const amount = amounts[name] ?? 0;
    const present = into[name];
    if (present === undefined || amount > present) into[name] = amount;
  }
}

const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

const isPodLevelResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/** The kubelet said that a resize will never fit here: what the pod asks for no longer counts. */
const resizeInfeasible = (status: PodStatus | undefined): boolean =>
  status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';

type RequestsOf = (container: Container) => Amounts;

/** What each container holds or wants: the largest of asked for, given and in effect, as far as its status tells. */
function effectiveRequests(status: PodStatus | undefined): RequestsOf {
  const statuses = new Map<string, ContainerStatus>();
  for (const container of status?.containerStatuses ?? []) statuses.set(container.name, container);
  for (const container of status?.initContainerStatuses ?? []) statuses.set(container.name, container);
  const infeasible = resizeInfeasible(status);
  return (container) => {
    const reported = statuses.get(container.name);
    if (reported?.resources === undefined) return toAmounts(container.resources?.requests);
    const amounts = infeasible ? {} : toAmounts(container.resources?.requests);
    raise(amounts, toAmounts(reported.resources.requests));
    raise(amounts, toAmounts(reported.allocatedResources));
    return amounts;
  };
}

function sumContainers(spec: PodSpec, requestsOf: RequestsOf, plainRequestsOf: RequestsOf): Amounts {
  const total: Amounts = {};
  for (const container of spec.containers) add(total, requestsOf(container));
  const sidecars: Amounts = {};
  const peak: Amounts = {};
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) {
      const requests = requestsOf(container);
      add(total, requests);
      add(sidecars, requests);
      raise(peak, sidecars);
    } else {
      const requests = plainRequestsOf(container);
      add(requests, sidecars);
      raise(peak, requests);
    }
  }
  raise(total, peak);
  return total;
}

function withPodLevel(total: Amounts, spec: PodSpec): Amounts {
  for (const [name, quantity] of Object.entries(spec.resources?.requests ?? {})) {
    if (isPodLevelResource(name)) total[name] = parseQuantityMilli(quantity);
  }
  add(total, toAmounts(spec.overhead));
  return total;
}

/**
 * What a pod needs if each container that names no amount of a resource is taken to ask for `defaults` (thousandths) of it,
 * as the scheduler does to spread pods that ask for nothing.
 */
export function podRequestsWithDefaults(
  pod: Pick<Pod, 'spec' | 'status'>,
  defaults: Readonly<Record<string, number>>,
): Record<string, number> {
  const filled =
    (requestsOf: RequestsOf): RequestsOf =>
    (container) => ({ ...defaults, ...requestsOf(container) });
  const { spec, status } = pod;
  return withPodLevel(sumContainers(spec, filled(effectiveRequests(status)), filled(plainRequests)), spec);
}

const plainRequests: RequestsOf = (container) => toAmounts(container.resources?.requests);

/**
 * What a pod needs of a node, in thousandths (see src/scheduling/resources.ts): containers and sidecars together, or an
 * init container with the sidecars before it if that is more; pod-level requests replace the sum; overhead comes on top.
 * Containers that are being resized count with the most of what they want, have been allocated and use
 * (k8s.io/component-helpers resource.PodRequests with UseStatusResources). The `pods` resource is not included.
 *
 * @throws {QuantityError} where a quantity is malformed.
 */
export const podRequests = (pod: Pick<Pod, 'spec' | 'status'>): Record<string, number> =>
  withPodLevel(sumContainers(pod.spec, effectiveRequests(pod.status), plainRequests), pod.spec);

/** The same for a pod that does not exist yet, such as a DaemonSet's. */
export const podSpecRequests = (spec: PodSpec): Record<string, number> =>
  withPodLevel(sumContainers(spec, plainRequests, plainRequests), spec);

/**
 * The sum of the limits of a pod by the same rule; overhead is added only where there is a limit
 * (resource.PodLimits).
 *
 * @throws {QuantityError}
 */
export function podLimits(spec: PodSpec): Record<string, number> {
  const limitsOf: RequestsOf = (container) => toAmounts(container.resources?.limits);
  const total = sumContainers(spec, limitsOf, limitsOf);
  for (const [name, quantity] of Object.entries(spec.resources?.limits ?? {})) {
    if (isPodLevelResource(name)) total[name] = parseQuantityMilli(quantity);
  }
  for (const [name, amount] of Object.entries(toAmounts(spec.overhead))) {
    const limit = total[name];
    if (limit) total[name] = limit + amount;
  }
  return total;
}
