import { asArray, asNumber, asObject, asObjects, asString } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { nameOf } from '../object-meta.ts';
import { age, joined, labelsCell, NONE, selectorCell } from './cells.ts';
import { columns } from './columns.ts';
import type { TableView } from './table.ts';

/** Services and what else is about the network, by collection. */
export const networkViews: Readonly<Record<string, TableView>> = {
  services: {
    columns: columns('Name/name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', 'Selector*'),
    row: (service, context) => {
      const spec = asObject(service.spec);
      return [
        nameOf(service),
        asString(spec.type),
        asString(asArray(spec.clusterIPs)[0]) || asString(spec.clusterIP) || NONE,
        externalAddress(service),
        servicePorts(spec),
        age(service, context),
        labelsCell(spec.selector),
      ];
    },
  },
  endpoints: {
    columns: columns('Name/name', 'Endpoints', 'Age'),
    row: (endpoints, context) => [nameOf(endpoints), endpointAddresses(endpoints), age(endpoints, context)],
  },
  'discovery.k8s.io/endpointslices': {
    columns: columns('Name/name', 'AddressType', 'Ports', 'Endpoints', 'Age'),
    row: (slice, context) => {
      const ports = asObjects(slice.ports).map(({ port, name }) => (port === undefined ? asString(name) || '*' : port));
      const addresses = asObjects(slice.endpoints).flatMap((endpoint) => asArray(endpoint.addresses));
      return [
        nameOf(slice),
        asString(slice.addressType),
        someOf(ports, '<unset>'),
        someOf(addresses, '<unset>'),
        age(slice, context),
      ];
    },
  },
  'networking.k8s.io/ingresses': {
    columns: columns('Name/name', 'Class', 'Hosts', 'Address', 'Ports', 'Age'),
    row: (ingress, context) => {
      const spec = asObject(ingress.spec);
      const hosts = asObjects(spec.rules)
        .map(({ host }) => asString(host))
        .filter(Boolean);
      return [
        nameOf(ingress),
        asString(spec.ingressClassName) || NONE,
        hosts.length === 0 ? '*' : someHosts(hosts),
        balancerAddresses(ingress),
        asArray(spec.tls).length > 0 ? '80, 443' : '80',
        age(ingress, context),
      ];
    },
  },
  'networking.k8s.io/ingressclasses': {
    columns: columns('Name/name', 'Controller', 'Parameters', 'Age'),
    row: (ingressClass, context) => {
      const { controller, parameters } = asObject(ingressClass.spec);
      const { kind, apiGroup, name } = asObject(parameters);
      const shown = parameters
        ? `${asString(kind)}${apiGroup ? `.${asString(apiGroup)}` : ''}/${asString(name)}`
        : NONE;
      return [nameOf(ingressClass), asString(controller), shown, age(ingressClass, context)];
    },
  },
  'networking.k8s.io/networkpolicies': {
    columns: columns('Name/name', 'Pod-Selector', 'Age'),
    row: (policy, context) => [nameOf(policy), selectorCell(asObject(policy.spec).podSelector), age(policy, context)],
  },
  'networking.k8s.io/servicecidrs': {
    columns: columns('Name/name', 'CIDRs', 'Age'),
    row: (range, context) => [nameOf(range), joined(asArray(asObject(range.spec).cidrs)), age(range, context)],
  },
  'networking.k8s.io/ipaddresses': {
    columns: columns('Name/name', 'ParentRef', 'Age'),
    row: (address, context) => {
      const { group, resource, namespace, name } = asObject(asObject(address.spec).parentRef);
      const type = [asString(resource), asString(group)].filter(Boolean).join('.').toLowerCase();
      const parent = [type, asString(namespace), asString(name)].filter(Boolean).join('/');
      return [nameOf(address), parent || NONE, age(address, context)];
    },
  },
};

function externalAddress(service: JsonObject): string {
  const spec = asObject(service.spec);
  const own = asArray(spec.externalIPs);
  switch (spec.type) {
    case 'ExternalName':
      return asString(spec.externalName);
    case 'LoadBalancer': {
      const balancer = balancerAddresses(service);
      const all = [...own, ...(balancer ? [balancer] : [])];
      return all.length > 0 ? joined(all) : '<pending>';
    }
    default:
      return own.length > 0 ? joined(own) : NONE;
  }
}

const balancerAddresses = (object: JsonObject): string =>
  joined(
    asObjects(asObject(asObject(object.status).loadBalancer).ingress)
      .map(({ ip, hostname }) => asString(ip) || asString(hostname))
      .filter(Boolean),
  );

function servicePorts(spec: JsonObject): string {
  const ports = asObjects(spec.ports).map(({ port, nodePort, protocol }) => {
    const node = asNumber(nodePort) > 0 ? `:${asNumber(nodePort)}` : '';
    return `${asNumber(port)}${node}/${asString(protocol)}`;
  });
  return ports.length > 0 ? joined(ports) : NONE;
}

function endpointAddresses(endpoints: JsonObject): string {
  const all = asObjects(endpoints.subsets).flatMap((subset) => {
    const ports = asObjects(subset.ports);
    const addresses = asObjects(subset.addresses).map(({ ip }) => asString(ip));
    if (ports.length === 0) return addresses;
    return ports.flatMap(({ port }) =>
      addresses.map((ip) => (ip.includes(':') ? `[${ip}]:${asNumber(port)}` : `${ip}:${asNumber(port)}`)),
    );
  });
  return someOf(all, NONE);
}

/** The first three, and how many more. */
function someOf(values: readonly Json[], none: string): string {
  if (values.length === 0) return none;
  const more = values.length > 3 ? ` + ${values.length - 3} more...` : '';
  return joined(values.slice(0, 3)) + more;
}

const someHosts = (hosts: readonly string[]): string =>
  joined(hosts.slice(0, 3)) + (hosts.length > 3 ? ` + ${hosts.length - 3} more...` : '');
