import { parseAddress } from '../../crd/cel/ip-address.ts';
import { asArray, asNumber, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import { isSix, validateAddress, validateEndpointAddress, validateNetwork } from '../addresses.ts';
import * as field from '../field-error.ts';
import { dns1123Label, dns1123Subdomain, portName, portNumber, wildcardSubdomain } from '../names.ts';
import { oneOf } from '../numbers.ts';
import { immutable } from '../object-meta.ts';
import { validateLabelSelector } from '../selectors.ts';
import type { Particulars } from './kind-rules.ts';

/** Ingresses, IngressClasses, NetworkPolicies, EndpointSlices. */

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const validateBackend = (path: string, backend: JsonObject): readonly FieldError[] => {
  const { service, resource } = backend;
  if (service !== undefined && resource !== undefined) {
    return [field.invalid(path, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) {
    const missing = ['kind', 'name'].filter((part) => asString(asObject(resource)[part]) === '');
    return missing.map((part) => field.required(`${path}.resource.${part}`));
  }
  if (service === undefined) return [field.invalid(path, '', 'resource or service backend is required')];
  const name = asString(asObject(service).name);
  const port = asObject(asObject(service).port);
  const [called, number] = [asString(port.name), asNumber(port.number)];
  const named =
    name === ''
      ? [field.required(`${path}.service.name`)]
      : dns1123Label(name).map((words) => field.invalid(`${path}.service.name`, name, words));
  if (called !== '' && number !== 0)
    return [...named, field.invalid(path, '', 'cannot set both port name & port number')];
  if (called !== '') {
    return [...named, ...portName(called).map((words) => field.invalid(`${path}.service.port.name`, called, words))];
  }
  if (number === 0) return [...named, field.required(path, 'port name or number is required')];
  return [...named, ...portNumber(number).map((words) => field.invalid(`${path}.service.port.number`, number, words))];
};

const BAD_PARTS = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDS = ['/..', '/.'];

const validatePath = (path: string, rule: JsonObject): readonly FieldError[] => {
  const { pathType } = rule;
  if ((pathType ?? null) === null) return [field.required(`${path}.pathType`, 'pathType must be specified')];
  const text = asString(rule.path);
  const at = `${path}.path`;
  const errors: FieldError[] = [];
  const relative = field.invalid(at, text, 'must be an absolute path');
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!text.startsWith('/')) errors.push(relative);
    for (const part of BAD_PARTS) {
      if (text.includes(part)) errors.push(field.invalid(at, text, `must not contain '${part}'`));
    }
    for (const end of BAD_ENDS) {
      if (text.endsWith(end)) errors.push(field.invalid(at, text, `cannot end with '${end}'`));
    }
  } else if (pathType === 'ImplementationSpecific') {
    if (text !== '' && !text.startsWith('/')) errors.push(relative);
  } else {
    errors.push(field.notSupported(`${path}.pathType`, pathType, ['Exact', 'ImplementationSpecific', 'Prefix']));
  }
  return [...errors, ...validateBackend(`${path}.backend`, asObject(rule.backend))];
};

const validateHost = (path: string, host: string): readonly FieldError[] => {
  if (host === '') return [];
  const address =
    parseAddress(host) === undefined ? [] : [field.invalid(path, host, 'must be a DNS name, not an IP address')];
  const check = host.includes('*') ? wildcardSubdomain : dns1123Subdomain;
  return [...address, ...check(host).map((words) => field.invalid(path, host, words))];
};

const validateIngressRule = (path: string, rule: JsonObject): readonly FieldError[] => {
  const hosts = validateHost(`${path}.host`, asString(rule.host));
  if (rule.http === undefined) return hosts;
  const paths = asObjects(asObject(rule.http).paths);
  return [
    ...hosts,
    ...(paths.length === 0 ? [field.required(`${path}.http.paths`)] : []),
    ...paths.flatMap((entry, at) => validatePath(`${path}.http.paths[${at}]`, entry)),
  ];
};

export const ingress: Particulars = {
  create: (object) => {
    const spec = asObject(object.spec);
    const rules = asObjects(spec.rules);
    const { defaultBackend: backend } = spec;
    const name = asString(spec.ingressClassName);
    return [
      ...(rules.length === 0 && backend === undefined
        ? [field.invalid('spec', null, 'either `defaultBackend` or `rules` must be specified')]
        : []),
      ...(backend === undefined ? [] : validateBackend('spec.defaultBackend', asObject(backend))),
      ...rules.flatMap((rule, at) => validateIngressRule(`spec.rules[${at}]`, rule)),
      ...asObjects(spec.tls).flatMap((tls, at) =>
        asArray(tls.hosts).flatMap((host, index) => {
          const text = asString(host);
          const check = text.includes('*') ? wildcardSubdomain : dns1123Subdomain;
          return check(text).map((words) => field.invalid(`spec.tls[${at}].hosts[${index}]`, text, words));
        }),
      ),
      ...(spec.ingressClassName === undefined
        ? []
        : dns1123Subdomain(name).map((words) => field.invalid('spec.ingressClassName', name, words))),
    ];
  },
};

export const ingressClass: Particulars = {
  create: (object) => {
    const controller = asString(asObject(object.spec).controller);
    const path = 'spec.controller';
    if (controller.length > 250) return [field.tooLong(path, 250)];
    return /^[^/]+\/.+$/.test(controller)
      ? []
      : [field.invalid(path, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  },
  update: (object, old) =>
    immutable('spec.controller', asObject(object.spec).controller, asObject(old.spec).controller),
};

const validateBlock = (path: string, block: JsonObject): readonly FieldError[] => {
  const cidr = asString(block.cidr);
  if (cidr === '') return [field.required(`${path}.cidr`)];
  return [
    ...validateNetwork(`${path}.cidr`, cidr),
    ...asArray(block.except).flatMap((part, at) => validateNetwork(`${path}.except[${at}]`, asString(part))),
  ];
};

const validatePeer = (path: string, peer: JsonObject): readonly FieldError[] => {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const errors = [
    ...validateLabelSelector(`${path}.podSelector`, podSelector),
    ...validateLabelSelector(`${path}.namespaceSelector`, namespaceSelector),
    ...(ipBlock === undefined ? [] : validateBlock(`${path}.ipBlock`, asObject(ipBlock))),
  ];
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (!selects && ipBlock === undefined) return [...errors, field.required(path, 'must specify a peer')];
  return selects && ipBlock !== undefined
    ? [...errors, field.forbidden(path, 'may not specify both ipBlock and another peer')]
    : errors;
};

const validateDirection = (path: string, rules: Json | undefined, peers: string): readonly FieldError[] =>
  asObjects(rules).flatMap((rule, at) => [
    ...asObjects(rule.ports).flatMap(({ protocol }, index) =>
      protocol === undefined ? [] : oneOf(`${path}[${at}].ports[${index}].protocol`, protocol, PROTOCOLS),
    ),
    ...asObjects(rule[peers]).flatMap((peer, index) => validatePeer(`${path}[${at}].${peers}[${index}]`, peer)),
  ]);

export const networkPolicy: Particulars = {
  create: (object) => {
    const spec = asObject(object.spec);
    const types = asArray(spec.policyTypes).map(asString);
    return [
      ...validateLabelSelector('spec.podSelector', spec.podSelector),
      ...validateDirection('spec.ingress', spec.ingress, 'from'),
      ...validateDirection('spec.egress', spec.egress, 'to'),
      ...types.flatMap((type, at) =>
        type === 'Ingress' || type === 'Egress'
          ? []
          : [field.notSupported(`spec.policyTypes[${at}]`, type, ['Egress', 'Ingress'])],
      ),
    ];
  },
};

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

const validateEndpoint = (path: string, endpoint: JsonObject, type: string): readonly FieldError[] => {
  const addresses = asArray(endpoint.addresses).map(asString);
  const at = `${path}.addresses`;
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(field.required(at, 'must contain at least 1 address'));
  else if (addresses.length > 100) errors.push(field.tooMany(at, addresses.length, 100));
  for (const [index, address] of addresses.entries()) {
    if (type !== 'IPv4' && type !== 'IPv6') continue;
    const wrong = validateAddress(field.index(at, index), address);
    errors.push(...wrong);
    if (wrong.length > 0) continue;
    if (isSix(address) !== (type === 'IPv6')) errors.push(field.invalid(at, address, `must be an ${type} address`));
    errors.push(...validateEndpointAddress(field.index(at, index), address));
  }
  for (const [part, check] of [
    ['nodeName', dns1123Subdomain],
    ['hostname', dns1123Label],
  ] as const) {
    const text = endpoint[part];
    if (text === undefined) continue;
    errors.push(...check(asString(text)).map((words) => field.invalid(`${path}.${part}`, text, words)));
  }
  return errors;
};

export const endpointSlice: Particulars = {
  create: (object) => {
    const type = asString(object.addressType);
    const ports = asObjects(object.ports);
    const names = ports.map(({ name }) => asString(name));
    return [
      ...oneOf('addressType', type, ADDRESS_TYPES),
      ...ports.flatMap((port, at) => {
        const name = names[at] ?? '';
        const path = `ports[${at}]`;
        return [
          ...(name === '' ? [] : dns1123Label(name).map((words) => field.invalid(`${path}.name`, name, words))),
          ...(names.indexOf(name) < at ? [field.duplicate(`${path}.name`, name)] : []),
          ...oneOf(`${path}.protocol`, port.protocol, PROTOCOLS),
        ];
      }),
      ...asObjects(object.endpoints).flatMap((endpoint, at) => validateEndpoint(`endpoints[${at}]`, endpoint, type)),
    ];
  },
  update: (object, old) => [
    ...(endpointSlice.create?.(object) ?? []),
    ...immutable('addressType', object.addressType, old.addressType),
  ],
};
