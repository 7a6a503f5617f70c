import { jsonEqual } from '../../kube/json-equal.ts';
import { invalid } from '../api-refusals.ts';
import { asNumber, asObject, asObjects, asString } from '../json.ts';
import type { FieldError, Json, JsonObject } from '../kind.ts';
import { nameOf } from '../object-meta.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';

/** `made`: what dry runs, which take none, count on from. */
const nodePorts = { first: 30_000, last: 32_767, made: 32_768 };

/** Services get addresses of 10.0.0.0/16, and node ports of the usual range, none twice. */
export function allocateService(deps: RegistryDeps, request: WriteRequest, service: JsonObject): JsonObject {
  const spec = asObject(service.spec);
  if (spec.type === 'ExternalName') return service;
  const others = deps.store.list('services').map(([, other]) => asObject(other.spec));
  const ip = asString(spec.clusterIP);
  const taken = ip !== '' && ip !== 'None' && others.some((other) => other.clusterIP === ip);
  const errors = [...(taken ? [takenAddress(ip)] : []), ...familyErrors(spec), ...portErrors(spec)];
  if (errors.length > 0) throw invalid(request.resource, nameOf(service), errors);
  const given = ip || freeAddress(new Set(others.map((other) => asString(other.clusterIP))));
  return {
    ...service,
    spec: {
      ...spec,
      ...withNodePorts(request, spec, others),
      clusterIP: given,
      clusterIPs: [given],
      ipFamilies: spec.ipFamilies ?? ['IPv4'],
      ipFamilyPolicy: spec.ipFamilyPolicy ?? 'SingleStack',
    },
  };
}

const takenAddress = (ip: string): FieldError => ({
  type: 'FieldValueInvalid',
  field: 'spec.clusterIPs',
  message: `Invalid value: ["${ip}"]: failed to allocate IP ${ip}: provided IP is already allocated`,
});

const familyErrors = ({ ipFamilyPolicy }: JsonObject): readonly FieldError[] =>
  ipFamilyPolicy === 'RequireDualStack'
    ? [
        {
          type: 'FieldValueInvalid',
          field: 'spec.ipFamilyPolicy',
          message: 'Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
        },
      ]
    : [];

const portErrors = (spec: JsonObject): readonly FieldError[] =>
  asObjects(spec.ports).flatMap(({ nodePort }, index) => {
    const port = asNumber(nodePort);
    if (port <= 0 || (port >= nodePorts.first && port <= nodePorts.last)) return [];
    const range = `${nodePorts.first}-${nodePorts.last}`;
    const message = `Invalid value: ${port}: provided port is not in the valid range. The range of valid ports is ${range}`;
    return [{ type: 'FieldValueInvalid', field: `spec.ports[${index}].nodePort`, message }];
  });

/** An update keeps the addresses and ports that the client left out. */
export function keepServiceAddresses(
  deps: RegistryDeps,
  request: WriteRequest,
  service: JsonObject,
  old: JsonObject,
): JsonObject {
  const spec = asObject(service.spec);
  const before = asObject(old.spec);
  if (spec.type === 'ExternalName') {
    const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy, ...rest } = spec;
    return before.type === 'ExternalName' ? service : { ...service, spec: rest };
  }
  const clusterIP = spec.clusterIP || before.clusterIP;
  const kept: Record<string, Json | undefined> = {
    clusterIP,
    clusterIPs:
      spec.clusterIPs && !onlyFirstChanged(spec, before)
        ? spec.clusterIPs
        : clusterIP === before.clusterIP
          ? before.clusterIPs
          : [asString(clusterIP)],
    ipFamilies: spec.ipFamilies ?? before.ipFamilies ?? ['IPv4'],
    ipFamilyPolicy: spec.ipFamilyPolicy ?? before.ipFamilyPolicy ?? 'SingleStack',
  };
  const others = deps.store.list('services').map(([, other]) => asObject(other.spec));
  const ports = asObjects(spec.ports).map((port) => {
    if (port.nodePort || !usesNodePorts(spec)) return port;
    const same = asObjects(before.ports).find((other) => other.port === port.port && other.protocol === port.protocol);
    return same?.nodePort ? { ...port, nodePort: same.nodePort } : port;
  });
  const merged = { ...spec, ...kept, ...(ports.length > 0 ? { ports } : {}) };
  return { ...service, spec: { ...merged, ...withNodePorts(request, merged, others) } };
}

/** Whether a client changed `clusterIP` and left the list as it was. */
const onlyFirstChanged = (spec: JsonObject, before: JsonObject): boolean =>
  spec.clusterIP !== before.clusterIP && jsonEqual(spec.clusterIPs, before.clusterIPs);

const usesNodePorts = (spec: JsonObject): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

function withNodePorts({ dryRun }: WriteRequest, spec: JsonObject, others: readonly JsonObject[]): JsonObject {
  if (!usesNodePorts(spec)) return {};
  const taken = new Set(others.flatMap((other) => asObjects(other.ports).map((port) => port.nodePort)));
  let next = nodePorts.first;
  const given = asObjects(spec.ports).map(({ nodePort }) => asNumber(nodePort));
  let made = Math.max(...given) || nodePorts.made;
  const ports = asObjects(spec.ports).map((port) => {
    if (port.nodePort) return port;
    if (dryRun) return { ...port, nodePort: ++made };
    while (taken.has(next) && next <= nodePorts.last) next++;
    taken.add(next);
    return { ...port, nodePort: next };
  });
  return { ports };
}

function freeAddress(taken: ReadonlySet<string>): string {
  for (let number = 256; number < 65_534; number++) {
    const address = `10.0.${number >> 8}.${number & 255}`;
    if (!taken.has(address)) return address;
  }
  return '';
}
