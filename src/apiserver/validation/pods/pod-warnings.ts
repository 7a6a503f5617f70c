import { asNumber, asObject, asObjects, asString } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { goQuote } from '../go-text.ts';
import { isFractional, printQuantity } from '../resource-names.ts';

/** What kube-apiserver says about pods and templates that it takes (pkg/api/pod/warnings.go). */

const DEPRECATED_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

interface Placed {
  readonly path: string;
  readonly container: JsonObject;
}

const containersOf = (path: string, spec: JsonObject): readonly Placed[] =>
  ['initContainers', 'containers', 'ephemeralContainers'].flatMap((kind) =>
    asObjects(spec[kind]).map((container, at) => ({ path: field.index(field.child(path, kind), at), container })),
  );

const selectorWarnings = (path: string, spec: JsonObject): readonly string[] =>
  Object.keys(asObject(spec.nodeSelector)).flatMap((key) => {
    const words = DEPRECATED_LABELS[key];
    return words === undefined ? [] : [`${field.key(field.child(path, 'nodeSelector'), key)}: ${words}`];
  });

const termWarnings = (path: string, term: JsonObject, weighted: boolean): readonly string[] => {
  const expressions = asObjects(term.matchExpressions);
  if (weighted && expressions.length + asObjects(term.matchFields).length === 0) return [];
  return expressions.flatMap(({ key }, at) => {
    const words = DEPRECATED_LABELS[asString(key)];
    const place = field.child(field.index(field.child(path, 'matchExpressions'), at), 'key');
    return words === undefined ? [] : [`${place}: ${asString(key)} is ${words}`];
  });
};

const affinityWarnings = (path: string, spec: JsonObject): readonly string[] => {
  const node = asObject(asObject(spec.affinity).nodeAffinity);
  const own = `${path}.affinity.nodeAffinity`;
  const required = asObject(node.requiredDuringSchedulingIgnoredDuringExecution);
  return [
    ...asObjects(required.nodeSelectorTerms).flatMap((term, at) =>
      termWarnings(`${own}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${at}]`, term, false),
    ),
    ...asObjects(node.preferredDuringSchedulingIgnoredDuringExecution).flatMap((term, at) =>
      termWarnings(
        `${own}.preferredDuringSchedulingIgnoredDuringExecution[${at}].preference`,
        asObject(term.preference),
        true,
      ),
    ),
  ];
};

const spreadWarnings = (path: string, spec: JsonObject): readonly string[] =>
  asObjects(spec.topologySpreadConstraints).flatMap((constraint, position) => {
    const at = field.index(field.child(path, 'topologySpreadConstraints'), position);
    const key = asString(constraint.topologyKey);
    const words = DEPRECATED_LABELS[key];
    return [
      ...(words === undefined ? [] : [`${field.child(at, 'topologyKey')}: ${key} is ${words}`]),
      ...(constraint.labelSelector === undefined
        ? [`${field.child(at, 'labelSelector')}: a null labelSelector results in matching no pod`]
        : []),
    ];
  });

const amountWarnings = ({ path, container }: Placed): readonly string[] =>
  ['memory', 'ephemeral-storage'].flatMap((resource) =>
    ['limits', 'requests'].flatMap((kind) => {
      const amount = asObject(asObject(container.resources)[kind])[resource];
      if (amount === undefined || !isFractional(amount)) return [];
      const at = field.key(`${path}.resources.${kind}`, resource);
      return [`${at}: fractional byte value ${goQuote(printQuantity(amount))} is invalid, must be an integer`];
    }),
  );

const variableWarnings = ({ path, container }: Placed): readonly string[] => {
  const seen = new Set<string>();
  return asObjects(container.env).flatMap((variable, at) => {
    const name = asString(variable.name);
    const repeated = seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const value = asString(variable.value);
    const builds = variable.valueFrom === undefined && value !== reference && value.includes(reference);
    if (!repeated || builds) return [];
    return [`${path}.env[${at}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`];
  });
};

interface PlacedPort {
  readonly path: string;
  readonly port: JsonObject;
}

const overlap = (port: JsonObject, other: JsonObject): string | undefined => {
  const [ip, otherIp] = [asString(port.hostIP), asString(other.hostIP)];
  const [host, otherHost] = [asNumber(port.hostPort), asNumber(other.hostPort)];
  if (ip === otherIp && host === otherHost) return 'duplicate port definition with';
  if (host === 0 || otherHost === 0) return 'overlapping port definition with';
  return host === otherHost && (ip === '') !== (otherIp === '')
    ? 'dangerously ambiguous port definition with'
    : undefined;
};

const portWarnings = (containers: readonly Placed[]): readonly string[] => {
  const ports: readonly PlacedPort[] = containers.flatMap(({ path, container }) =>
    asObjects(container.ports).map((port, at) => ({ path: `${path}.ports[${at}]`, port })),
  );
  const same = (a: JsonObject, b: JsonObject): boolean =>
    a.containerPort === b.containerPort && (a.protocol ?? 'TCP') === (b.protocol ?? 'TCP');
  const overlaps = ports.flatMap(({ path, port }, at) =>
    ports.slice(0, at).flatMap((other) => {
      const words = same(port, other.port) ? overlap(port, other.port) : undefined;
      return words === undefined ? [] : [`${path}: ${words} ${other.path}`];
    }),
  );
  const names = new Map<string, string>();
  const repeated = ports.flatMap(({ path, port }) => {
    const name = asString(port.name);
    const first = names.get(name);
    if (name === '' || first === undefined) {
      if (name !== '') names.set(name, path);
      return [];
    }
    const words = `duplicate port name ${goQuote(name)} with ${first}, services and probes that select ports by name will use ${first}`;
    return [`${path}: ${words}`];
  });
  return [...overlaps, ...repeated];
};

/** `prefix`: where the pod or template stands; empty for a pod. */
export const podWarnings = (prefix: string, pod: JsonObject): readonly string[] => {
  const spec = asObject(pod.spec);
  const path = field.child(prefix, 'spec');
  const annotations = asObject(asObject(pod.metadata).annotations);
  const containers = containersOf(path, spec);
  return [
    ...selectorWarnings(path, spec),
    ...affinityWarnings(path, spec),
    ...spreadWarnings(path, spec),
    ...Object.entries(DEPRECATED_ANNOTATIONS).flatMap(([key, words]) =>
      annotations[key] === undefined
        ? []
        : [`${field.key(field.child(prefix, 'metadata.annotations'), key)}: ${words}`],
    ),
    ...containers.flatMap((placed) => [...amountWarnings(placed), ...variableWarnings(placed)]),
    ...portWarnings(containers),
  ];
};
