import { asArray, asNumber, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import { isSix, validateAddress, validateEndpointAddress, validateNetwork } from '../addresses.ts';
import * as field from '../field-error.ts';
import { goJson } from '../go-text.ts';
import { dns1123Label, dns1123Subdomain, portNumber, qualifiedName } from '../names.ts';
import { oneOf, portOrName } from '../numbers.ts';
import { validateLabels } from '../object-meta.ts';
import type { Particulars } from './kind-rules.ts';

/** Services (core ValidateService and ValidateServiceUpdate). */

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const clusterIps = (spec: JsonObject): readonly string[] => asArray(spec.clusterIPs).map(asString);

const isHeadless = (spec: JsonObject): boolean => {
  const ips = clusterIps(spec);
  return ips.length === 1 && ips[0] === 'None';
};

const complaints = (path: string, value: string, words: readonly string[]): readonly FieldError[] =>
  words.map((text) => field.invalid(path, value, text));

const validatePort = (path: string, port: JsonObject, named: boolean, names: Set<string>): readonly FieldError[] => {
  const name = asString(port.name);
  const namePath = field.child(path, 'name');
  const errors: FieldError[] = [];
  if (named && name === '') errors.push(field.required(namePath));
  else if (name !== '') {
    errors.push(...complaints(namePath, name, dns1123Label(name)));
    if (names.has(name)) errors.push(field.duplicate(namePath, name));
    names.add(name);
  }
  const number = asNumber(port.port);
  errors.push(...portNumber(number).map((words) => field.invalid(field.child(path, 'port'), number, words)));
  errors.push(...oneOf(field.child(path, 'protocol'), port.protocol, PROTOCOLS));
  errors.push(...portOrName(field.child(path, 'targetPort'), port.targetPort));
  if (port.appProtocol !== undefined) {
    const protocol = asString(port.appProtocol);
    errors.push(...complaints(field.child(path, 'appProtocol'), protocol, qualifiedName(protocol)));
  }
  return errors;
};

/** The key of a port as the internal type prints it. */
const shownPort = (port: JsonObject): field.Verbatim =>
  new field.Verbatim(
    `{"Name":"","Protocol":${goJson(port.protocol ?? '')},"AppProtocol":null,"Port":${asNumber(port.port)},"TargetPort":0,"NodePort":0}`,
  );

const validatePorts = (spec: JsonObject): readonly FieldError[] => {
  const ports = asObjects(spec.ports);
  const names = new Set<string>();
  return ports.flatMap((port, at) => validatePort(`spec.ports[${at}]`, port, ports.length > 1, names));
};

const validateRepeatedPorts = (spec: JsonObject): readonly FieldError[] => {
  const ports = asObjects(spec.ports);
  const repeats = (name: string, at: number): boolean =>
    ports.slice(0, at).some((other) => other.protocol === ports[at]?.protocol && other[name] === ports[at]?.[name]);
  const nodePorts = ports.flatMap((port, at) =>
    asNumber(port.nodePort) !== 0 && repeats('nodePort', at)
      ? [field.duplicate(`spec.ports[${at}].nodePort`, asNumber(port.nodePort))]
      : [],
  );
  const forbidden =
    spec.type === 'ClusterIP'
      ? ports.flatMap((port, at) =>
          asNumber(port.nodePort) === 0
            ? []
            : [field.forbidden(`spec.ports[${at}].nodePort`, "may not be used when `type` is 'ClusterIP'")],
        )
      : [];
  const same = ports.flatMap((port, at) =>
    repeats('port', at) ? [field.duplicate(`spec.ports[${at}]`, shownPort(port))] : [],
  );
  return [...forbidden, ...nodePorts, ...same];
};

const validateByType = (spec: JsonObject): readonly FieldError[] => {
  const { type } = spec;
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    return [field.invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)];
  }
  if (type !== 'ExternalName') return [];
  const words = 'may not be set for ExternalName services';
  const errors: FieldError[] = [];
  if (clusterIps(spec).length > 0) errors.push(field.forbidden('spec.clusterIPs', words));
  if (asArray(spec.ipFamilies).length > 0) errors.push(field.forbidden('spec.ipFamilies', words));
  if (spec.ipFamilyPolicy !== undefined) errors.push(field.forbidden('spec.ipFamilyPolicy', words));
  const name = asString(spec.externalName).replace(/\.$/, '');
  if (name === '') errors.push(field.required('spec.externalName'));
  else errors.push(...complaints('spec.externalName', name, dns1123Subdomain(name)));
  return errors;
};

const MOST_SECONDS = 86_400;

const validateAffinity = (spec: JsonObject): readonly FieldError[] => {
  const path = 'spec.sessionAffinityConfig';
  const errors = [...oneOf('spec.sessionAffinity', spec.sessionAffinity, ['ClientIP', 'None'])];
  const { sessionAffinityConfig: config } = spec;
  if (spec.sessionAffinity === 'ClientIP') {
    const words = `when session affinity type is ClientIP`;
    if (config === undefined) return [...errors, field.required(path, words)];
    const client = asObject(config).clientIP;
    if (client === undefined) return [...errors, field.required(`${path}.clientIP`, words)];
    const seconds = asObject(client).timeoutSeconds;
    const at = `${path}.clientIP.timeoutSeconds`;
    if (seconds === undefined) return [...errors, field.required(at, words)];
    if (asNumber(seconds) <= 0 || asNumber(seconds) > MOST_SECONDS) {
      errors.push(field.invalid(at, seconds, `must be greater than 0 and less than ${MOST_SECONDS}`));
    }
  } else if (spec.sessionAffinity === 'None' && config !== undefined) {
    errors.push(field.forbidden(path, 'must not be set when session affinity is None'));
  }
  return errors;
};

const validateFirstIp = (spec: JsonObject): readonly FieldError[] => {
  const ips = clusterIps(spec);
  const ip = asString(spec.clusterIP);
  const path = 'spec.clusterIPs';
  if (ip === '') {
    return ips.length > 0 ? [field.invalid(path, ips, 'must be empty when `clusterIP` is not specified')] : [];
  }
  if (ips.length === 0) return [field.required(path)];
  return ips[0] === ip ? [] : [field.invalid(path, ips, 'first value must match `clusterIP`')];
};

const validateFamilies = (spec: JsonObject): readonly FieldError[] => {
  const families = asArray(spec.ipFamilies).map(asString);
  const errors = families.flatMap((family, at) => {
    const path = `spec.ipFamilies[${at}]`;
    const unknown = family === 'IPv4' || family === 'IPv6' ? [] : [field.notSupported(path, family, ['IPv4', 'IPv6'])];
    return families.indexOf(family) < at ? [...unknown, field.duplicate(path, family)] : unknown;
  });
  const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
  const policy = spec.ipFamilyPolicy;
  if (policy !== undefined && !policies.includes(asString(policy))) {
    errors.push(field.notSupported('spec.ipFamilyPolicy', policy, policies));
  }
  return errors;
};

const validateClusterIps = (spec: JsonObject): readonly FieldError[] => {
  if (spec.type === 'ExternalName') return [];
  const ips = clusterIps(spec);
  const path = 'spec.clusterIPs';
  const errors = [...validateFirstIp(spec), ...validateFamilies(spec)];
  const wrong = ips.flatMap((ip, at) => {
    if (at > 0 || ip !== 'None') return validateAddress(field.index(path, at), ip);
    return ips.length > 1 ? [field.invalid(path, ips, "'None' must be the first and only value")] : [];
  });
  errors.push(...wrong);
  if (ips.length > 2) errors.push(field.invalid(path, ips, 'may only hold up to 2 values'));
  if (wrong.length > 0) return errors;
  if (ips.length > 1 && (ips.every(isSix) || !ips.some(isSix))) {
    errors.push(field.invalid(path, ips, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(spec)) return errors;
  for (const [at, family] of asArray(spec.ipFamilies).entries()) {
    const ip = ips[at];
    if (ip === undefined) break;
    const fits = family === 'IPv4' ? !isSix(ip) : family !== 'IPv6' || isSix(ip);
    if (!fits) {
      const words = `expected an ${asString(family)} value as indicated by \`ipFamilies[${at}]\``;
      errors.push(field.invalid(field.index(path, at), ip, words));
    }
  }
  return errors;
};

const validateExternalIps = (spec: JsonObject): readonly FieldError[] =>
  asArray(spec.externalIPs).flatMap((value, at) => {
    const path = `spec.externalIPs[${at}]`;
    const wrong = validateAddress(path, asString(value));
    return wrong.length > 0 ? wrong : validateEndpointAddress(path, asString(value));
  });

const BALANCED = "may only be used when `type` is 'LoadBalancer'";

const validateBalancer = (spec: JsonObject): readonly FieldError[] => {
  const balanced = spec.type === 'LoadBalancer';
  const ranges = asArray(spec.loadBalancerSourceRanges).map((range) => asString(range).trim());
  const path = 'spec.LoadBalancerSourceRanges';
  const errors: FieldError[] = [];
  if (ranges.length > 0 && !balanced) errors.push(field.forbidden(path, BALANCED));
  errors.push(...ranges.flatMap((range, at) => validateNetwork(field.index(path, at), range)));
  if (spec.allocateLoadBalancerNodePorts !== undefined && !balanced) {
    errors.push(field.forbidden('spec.allocateLoadBalancerNodePorts', BALANCED));
  }
  if (spec.loadBalancerClass === undefined) return errors;
  const name = asString(spec.loadBalancerClass);
  return balanced
    ? [...errors, ...complaints('spec.loadBalancerClass', name, qualifiedName(name))]
    : [...errors, field.forbidden('spec.loadBalancerClass', BALANCED)];
};

const isExternal = (spec: JsonObject): boolean =>
  spec.type === 'LoadBalancer' ||
  spec.type === 'NodePort' ||
  (spec.type === 'ClusterIP' && asArray(spec.externalIPs).length > 0);

const needsHealthCheck = (spec: JsonObject): boolean =>
  spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';

const validateTraffic = (spec: JsonObject): readonly FieldError[] => {
  const path = 'spec.externalTrafficPolicy';
  const policy = asString(spec.externalTrafficPolicy);
  const errors: FieldError[] = [];
  if (isExternal(spec)) errors.push(...oneOf(path, policy, ['Cluster', 'Local']));
  else if (policy !== '')
    errors.push(field.invalid(path, policy, 'may only be set for externally-accessible services'));
  const port = asNumber(spec.healthCheckNodePort);
  if (!needsHealthCheck(spec) && port !== 0) {
    const words = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    errors.push(field.invalid('spec.healthCheckNodePort', port, words));
  }
  const { internalTrafficPolicy: internal, trafficDistribution: distribution } = spec;
  if (internal === undefined && spec.type !== 'ExternalName' && TYPES.includes(asString(spec.type))) {
    errors.push(field.required('spec.internalTrafficPolicy'));
  } else if (internal !== undefined && internal !== 'Cluster' && internal !== 'Local') {
    errors.push(field.notSupported('spec.internalTrafficPolicy', internal, ['Cluster', 'Local']));
  }
  const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
  if (distribution !== undefined && !distributions.includes(asString(distribution))) {
    errors.push(field.notSupported('spec.trafficDistribution', distribution, distributions));
  }
  return errors;
};

const validateService = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  const needsPorts = asArray(spec.ports).length === 0 && !isHeadless(spec) && spec.type !== 'ExternalName';
  return [
    ...(needsPorts ? [field.required('spec.ports')] : []),
    ...validateByType(spec),
    ...validatePorts(spec),
    ...validateLabels(spec.selector, 'spec.selector'),
    ...validateAffinity(spec),
    ...validateClusterIps(spec),
    ...validateExternalIps(spec),
    ...oneOf('spec.type', spec.type, TYPES),
    ...validateRepeatedPorts(spec),
    ...validateBalancer(spec),
    ...validateTraffic(spec),
  ];
};

const CHANGED = 'may not change once set';

const validateKeptIps = (spec: JsonObject, old: JsonObject): readonly FieldError[] => {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return [];
  if (isHeadless(spec) && isHeadless(old)) return [];
  const [ips, before] = [clusterIps(spec), clusterIps(old)];
  const first = 'spec.clusterIPs[0]';
  if (ips.length === before.length) {
    return before.flatMap((ip, at) =>
      ip === ips[at] ? [] : [field.invalid(`spec.clusterIPs[${at}]`, ips as Json, CHANGED)],
    );
  }
  const errors: FieldError[] = [];
  if (before.length > ips.length && ips.length === 0) {
    errors.push(field.invalid(first, null, 'primary clusterIP can not be unset'));
  }
  if (before.length > 0 && ips.length > 0 && ips[0] !== before[0]) errors.push(field.invalid(first, ips, CHANGED));
  if (before.length > ips.length && ips.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    const words = "must be set to 'SingleStack' when releasing the secondary clusterIP";
    errors.push(field.invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy ?? null, words));
  }
  return errors;
};

const validateKeptFields = (spec: JsonObject, old: JsonObject): readonly FieldError[] => {
  const errors: FieldError[] = [];
  if (spec.type === 'LoadBalancer' && old.type === 'LoadBalancer' && spec.loadBalancerClass !== old.loadBalancerClass) {
    errors.push(field.invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, CHANGED));
  }
  if (needsHealthCheck(spec) && needsHealthCheck(old) && spec.healthCheckNodePort !== old.healthCheckNodePort) {
    errors.push(field.forbidden('spec.healthCheckNodePort', 'field is immutable'));
  }
  return errors;
};

export const service: Particulars = {
  name: dns1123Label,
  create: validateService,
  update: (object, old) => {
    const [spec, before] = [asObject(object.spec), asObject(old.spec)];
    return [...validateKeptIps(spec, before), ...validateKeptFields(spec, before), ...validateService(object)];
  },
};
