import { parseAddress } from '../../crd/cel/ip-address.ts';
import { asArray, asNumber, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { type Check, dns1123Label, dns1123Subdomain, qualifiedName, rangeWords } from '../names.ts';
import { oneOf, oneOfIfSet } from '../numbers.ts';
import { validateLabels } from '../object-meta.ts';
import { type PodContext, validateContainers, validateInitContainers } from './containers.ts';
import { validateAffinity, validateSpread, validateTolerations } from './scheduling.ts';
import { validatePodSecurity } from './security.ts';
import { validateVolumes } from './volumes.ts';

const MAX_INT32 = 2 ** 31 - 1;

const checked = (path: string, value: string, check: Check): readonly FieldError[] =>
  value === '' ? [] : check(value).map((words) => field.invalid(path, value, words));

const validateClaims = (path: string, claims: readonly JsonObject[]): readonly FieldError[] => {
  const seen = new Set<string>();
  return claims.flatMap((claim, position) => {
    const at = field.child(field.index(path, position), 'name');
    const name = asString(claim.name);
    const repeated = seen.has(name);
    seen.add(name);
    if (name === '') return [field.required(at)];
    if (repeated) return [field.duplicate(at, name)];
    return dns1123Label(name).map((words) => field.invalid(at, name, words));
  });
};

const hostNetworkPorts = (path: string, spec: JsonObject): readonly FieldError[] => {
  if (spec.hostNetwork !== true) return [];
  const words = 'must match `containerPort` when `hostNetwork` is true';
  return ['containers', 'initContainers'].flatMap((kind) =>
    asObjects(spec[kind]).flatMap((container, position) =>
      asObjects(container.ports).flatMap((port, at) => {
        const [own, host] = [asNumber(port.containerPort), asNumber(port.hostPort)];
        const where = `${field.index(field.child(path, kind), position)}.ports[${at}].hostPort`;
        return own === host ? [] : [field.invalid(where, host, words)];
      }),
    ),
  );
};

const validateGates = (path: string, gates: readonly JsonObject[]): readonly FieldError[] => {
  const seen = new Set<string>();
  return gates.flatMap((gate, position) => {
    const at = field.index(path, position);
    const name = asString(gate.name);
    const repeated = seen.has(name) ? [field.duplicate(at, name)] : [];
    seen.add(name);
    return [...qualifiedName(name).map((words) => field.invalid(at, name, words)), ...repeated];
  });
};

const validateDns = (path: string, spec: JsonObject): readonly FieldError[] => {
  if (spec.dnsPolicy !== 'None') return [];
  const servers = asArray(asObject(spec.dnsConfig).nameservers);
  const at = `${path}.dnsConfig.nameservers`;
  return servers.length > 0
    ? []
    : [field.required(at, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
};

const validateAliases = (path: string, aliases: readonly JsonObject[]): readonly FieldError[] =>
  aliases.flatMap((alias, position) => {
    const at = field.index(path, position);
    const ip = asString(alias.ip);
    const words = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
    return [
      ...(parseAddress(ip) === undefined ? [field.invalid(field.child(at, 'ip'), ip, words)] : []),
      ...asArray(alias.hostnames).flatMap((name, host) =>
        checked(field.index(field.child(at, 'hostnames'), host), asString(name), dns1123Subdomain),
      ),
    ];
  });

const DNS_POLICIES = ['Default', 'ClusterFirst', 'ClusterFirstWithHostNet', 'None'];
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const SYSTEMS = ['linux', 'windows'];

const validateSystem = (path: string, spec: JsonObject): readonly FieldError[] => {
  if (spec.os === undefined) return [];
  const name = asString(asObject(spec.os).name);
  if (name === '') return [field.required(field.child(path, 'name'), 'cannot be empty')];
  return SYSTEMS.includes(name) ? [] : [field.notSupported(path, name, SYSTEMS)];
};

/** A pod spec, in a pod or in a template (core ValidatePodSpec). */
export const validatePodSpec = (path: string, spec: JsonObject): readonly FieldError[] => {
  const at = (name: string): string => field.child(path, name);
  const volumes = validateVolumes(at('volumes'), asObjects(spec.volumes));
  const claims = asObjects(spec.resourceClaims);
  const [containers, initial] = [asObjects(spec.containers), asObjects(spec.initContainers)];
  const context: PodContext = {
    volumes: volumes.sound,
    claims: new Set(claims.map(({ name }) => asString(name))),
    restartPolicy: asString(spec.restartPolicy),
  };
  const deadline = spec.activeDeadlineSeconds;
  return [
    ...volumes.errors,
    ...validateClaims(at('resourceClaims'), claims),
    ...validateContainers(at('containers'), containers, context),
    ...validateInitContainers(at('initContainers'), initial, containers, context),
    ...hostNetworkPorts(path, spec),
    ...oneOf(at('restartPolicy'), spec.restartPolicy, RESTART_POLICIES),
    ...oneOf(at('dnsPolicy'), spec.dnsPolicy, DNS_POLICIES),
    ...validateLabels(spec.nodeSelector, at('nodeSelector')),
    ...validatePodSecurity(at('securityContext'), spec.securityContext),
    ...validateAffinity(at('affinity'), spec.affinity),
    ...validateDns(path, spec),
    ...validateGates(at('schedulingGates'), asObjects(spec.schedulingGates)),
    ...validateSpread(at('topologySpreadConstraints'), asObjects(spec.topologySpreadConstraints)),
    ...checked(at('serviceAccountName'), asString(spec.serviceAccountName), dns1123Subdomain),
    ...checked(at('nodeName'), asString(spec.nodeName), dns1123Subdomain),
    ...(typeof deadline === 'number' && (deadline < 1 || deadline > MAX_INT32)
      ? [field.invalid(at('activeDeadlineSeconds'), deadline, rangeWords(1, MAX_INT32))]
      : []),
    ...checked(at('hostname'), asString(spec.hostname), dns1123Label),
    ...checked(at('subdomain'), asString(spec.subdomain), dns1123Label),
    ...validateTolerations(at('tolerations'), asObjects(spec.tolerations)),
    ...validateAliases(at('hostAliases'), asObjects(spec.hostAliases)),
    ...checked(at('priorityClassName'), asString(spec.priorityClassName), dns1123Subdomain),
    ...checked(at('runtimeClassName'), asString(spec.runtimeClassName), dns1123Subdomain),
    ...oneOfIfSet(at('preemptionPolicy'), spec.preemptionPolicy, ['PreemptLowerPriority', 'Never']),
    ...validateSystem(at('os'), spec),
  ];
};
