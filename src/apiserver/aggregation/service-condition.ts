import { asNumber, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { labelsOf } from '../object-meta.ts';
import type { Store } from '../store/store.ts';

/** Why the server of an API can't be reached, in kube-aggregator's words. */
export interface Unavailable {
  readonly reason: string;
  readonly message: string;
}

/** What the objects of a cluster say against reaching an APIService's server; undefined where they say nothing. */
export const unavailableService = (store: Store, reference: JsonObject): Unavailable | undefined => {
  const [namespace, name] = [asString(reference.namespace), asString(reference.name)];
  const port = asNumber(reference.port) || 443;
  const here = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = store.get('services', `${namespace}/${name}`);
  if (service === undefined) return { reason: 'ServiceNotFound', message: `${here} is not present` };
  const spec = asObject(service.spec);
  if (spec.type !== undefined && spec.type !== 'ClusterIP') return undefined;
  const servicePort = asObjects(spec.ports).find((one) => one.port === port);
  if (servicePort === undefined) {
    return { reason: 'ServicePortError', message: `${here} is not listening on port ${port}` };
  }
  const portName = asString(servicePort.name);
  const places = [
    ...store
      .list('discovery.k8s.io/endpointslices', `${namespace}/`)
      .filter(([, slice]) => labelsOf(slice)['kubernetes.io/service-name'] === name)
      .map(([, { ports, endpoints }]) => ({
        ports: asObjects(ports),
        ready: asObjects(endpoints).some(({ conditions }) => asObject(conditions).ready !== false),
      })),
    ...asObjects(store.get('endpoints', `${namespace}/${name}`)?.subsets).map(({ ports, addresses }) => ({
      ports: asObjects(ports),
      ready: asObjects(addresses).length > 0,
    })),
  ];
  if (places.length === 0) {
    return { reason: 'EndpointsNotFound', message: `cannot find endpointslices for ${here}` };
  }
  const reachable = places.some(
    ({ ports, ready }) => ready && ports.some((one) => asString(one.name) === portName && one.port !== undefined),
  );
  if (reachable) return undefined;
  const words = `have no addresses with port name ${JSON.stringify(portName)}`;
  return { reason: 'MissingEndpoints', message: `endpointslices for ${here} ${words}` };
};
