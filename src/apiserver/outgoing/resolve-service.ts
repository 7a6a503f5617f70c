import { asArray, asNumber, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { labelsOf, metaOf } from '../object-meta.ts';
import type { Store } from '../store/store.ts';

/** A service that leads nowhere. */
export class NoServiceError extends Error {
  override readonly name = 'NoServiceError';
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Where a port of a service leads (apiserver util/proxy). There is no network of services here, so that what counts are a
 * service's endpoints, as kube-apiserver with `--enable-aggregator-routing` takes them, or its external name.
 *
 * @throws NoServiceError
 */
export const resolveService = (store: Store, namespace: string, name: string, port: number): Address => {
  const service = store.get('services', `${namespace}/${name}`);
  if (service === undefined) throw new NoServiceError(`service ${JSON.stringify(name)} not found`);
  const spec = asObject(service.spec);
  if (spec.type === 'ExternalName') return { host: asString(spec.externalName), port };
  const servicePort = asObjects(spec.ports).find((one) => one.port === port);
  if (servicePort === undefined) {
    throw new NoServiceError(`no service port ${port} found for service ${JSON.stringify(name)}`);
  }
  const portName = asString(servicePort.name);
  const found = fromSlices(store, namespace, name, portName) ?? fromEndpoints(store, namespace, name, portName);
  if (found === undefined) throw new NoServiceError(`no endpoints available for service ${JSON.stringify(name)}`);
  return found;
};

const portNumber = (ports: readonly JsonObject[], name: string): number =>
  asNumber(ports.find((one) => asString(one.name) === name)?.port);

const fromSlices = (store: Store, namespace: string, service: string, portName: string): Address | undefined => {
  for (const [, slice] of store.list('discovery.k8s.io/endpointslices', `${namespace}/`)) {
    if (labelsOf(slice)['kubernetes.io/service-name'] !== service) continue;
    const port = portNumber(asObjects(slice.ports), portName);
    const ready = asObjects(slice.endpoints).find(({ conditions }) => asObject(conditions).ready !== false);
    const [host] = asArray(ready?.addresses);
    if (port > 0 && host !== undefined) return { host: asString(host), port };
  }
  return undefined;
};

/** Endpoints of old, which nothing mirrors into slices here. */
const fromEndpoints = (store: Store, namespace: string, service: string, portName: string): Address | undefined => {
  const endpoints = store.get('endpoints', `${namespace}/${service}`);
  if (endpoints === undefined || metaOf(endpoints).deletionTimestamp !== undefined) return undefined;
  for (const subset of asObjects(endpoints.subsets)) {
    const port = portNumber(asObjects(subset.ports), portName);
    const [first] = asObjects(subset.addresses);
    if (port > 0 && first !== undefined) return { host: asString(first.ip), port };
  }
  return undefined;
};
