import type { KubeObject, Pod } from '../../kube/objects.ts';
import { isReady, isTerminal, isTerminating } from '../../kube/pods.ts';
import { apiVersionOf, controllerReference } from '../owners.ts';
import { hashOf } from '../template-hash.ts';

export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly targetPort?: number | string;
  readonly appProtocol?: string;
}

export interface Service extends KubeObject {
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly ServicePort[];
    readonly publishNotReadyAddresses?: boolean;
    readonly type?: string;
    readonly clusterIP?: string;
  };
}

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions: { readonly ready: boolean; readonly serving: boolean; readonly terminating: boolean };
  readonly nodeName?: string;
  readonly zone?: string;
  readonly targetRef: {
    readonly kind: 'Pod';
    readonly namespace?: string;
    readonly name: string;
    readonly uid?: string;
  };
}

export interface EndpointPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

export interface EndpointSlice extends KubeObject {
  readonly addressType: 'IPv4';
  readonly endpoints: readonly Endpoint[];
  readonly ports: readonly EndpointPort[];
}

const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const MANAGER = 'endpointslice-controller.k8s.io';
const SERVICE_KIND = { group: '', version: 'v1', kind: 'Service' };
const PER_SLICE = 100;

/** The slices that a Service should have: pods of its selector that have an address, a hundred to a slice. */
export function endpointSlices(
  service: Service,
  pods: readonly Pod[],
  zoneOf: (nodeName: string) => string | undefined,
): readonly EndpointSlice[] {
  const groups = new Map<string, { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }>();
  for (const pod of pods) {
    if (!pod.status?.podIP || isTerminal(pod)) continue;
    const ports = portsOn(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(endpointOf(service, pod, zoneOf));
    groups.set(key, group);
  }
  if (groups.size === 0) groups.set('', { ports: [], endpoints: [] });
  return [...groups.values()]
    .flatMap(({ ports, endpoints }) => chunks(endpoints).map((chunk) => ({ ports, endpoints: chunk })))
    .map(({ ports, endpoints }, index) => slice(service, index, ports, endpoints));
}

function chunks(endpoints: readonly Endpoint[]): readonly (readonly Endpoint[])[] {
  const count = Math.max(1, Math.ceil(endpoints.length / PER_SLICE));
  return Array.from({ length: count }, (_, index) => endpoints.slice(index * PER_SLICE, (index + 1) * PER_SLICE));
}

function slice(
  service: Service,
  index: number,
  ports: readonly EndpointPort[],
  endpoints: readonly Endpoint[],
): EndpointSlice {
  const { name, namespace, uid, labels } = service.metadata;
  const headless: Record<string, string> =
    service.spec.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {};
  return {
    apiVersion: apiVersionOf({ group: 'discovery.k8s.io', version: 'v1', kind: 'EndpointSlice' }),
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-${hashOf([uid, index]).slice(0, 5)}`,
      namespace,
      labels: { ...labels, ...headless, [SERVICE_NAME]: name, [MANAGED_BY]: MANAGER },
      ownerReferences: [controllerReference(service, SERVICE_KIND)],
    },
    addressType: 'IPv4',
    endpoints,
    ports,
  };
}

function endpointOf(service: Service, pod: Pod, zoneOf: (nodeName: string) => string | undefined): Endpoint {
  const { nodeName } = pod.spec;
  const { name, namespace, uid } = pod.metadata;
  const serving = isReady(pod);
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !isTerminating(pod));
  const zone = nodeName === undefined ? undefined : zoneOf(nodeName);
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: { ready, serving, terminating: isTerminating(pod) },
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
  };
}

/** Ports that the pod has; a named target port that no container declares is none. */
function portsOn(service: Service, pod: Pod): readonly EndpointPort[] {
  const declared = pod.spec.containers.flatMap((container) => container.ports ?? []);
  return (service.spec.ports ?? []).flatMap(({ name = '', port, protocol = 'TCP', targetPort = port, appProtocol }) => {
    const number =
      typeof targetPort === 'number'
        ? targetPort
        : declared.find((p) => p.name === targetPort && (p.protocol ?? 'TCP') === protocol)?.containerPort;
    if (number === undefined) return [];
    return [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

/** The same as the older Endpoints object, which some clients still read. */
export function endpointsObject(service: Service, slices: readonly EndpointSlice[]): KubeObject {
  const address = ({ addresses: [ip], nodeName, targetRef }: Endpoint) => ({ ip, nodeName, targetRef });
  const subsets = slices
    .filter(({ endpoints }) => endpoints.length > 0)
    .map(({ endpoints, ports }) => {
      const ready = endpoints.filter(({ conditions }) => conditions.ready).map(address);
      const notReady = endpoints.filter(({ conditions }) => !conditions.ready).map(address);
      return {
        ...(ready.length > 0 ? { addresses: ready } : {}),
        ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
        ...(ports.length > 0 ? { ports } : {}),
      };
    });
  const { name, namespace, labels } = service.metadata;
  const managed = { ...labels, 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' };
  const object = { apiVersion: 'v1', kind: 'Endpoints', metadata: { name, namespace, labels: managed } };
  return subsets.length > 0 ? { ...object, ...{ subsets } } : object;
}
