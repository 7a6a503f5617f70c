/** What the DaemonSets of a cluster take from every node (karpenter-core.md 3.8, 4.3.3). */
import type { Container, DaemonSet, LimitRange, Pod, PodSpec, ResourceList, Taint } from '../kube/objects.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { type HostPort, hostPorts } from './host-ports.ts';
import type { DaemonGroup } from './instance-catalogue.ts';
import type { InstanceType } from './instance-type.ts';
import { usesResourceClaims } from './pod-shape.ts';
import { withoutFirstRequiredTerm } from './relaxation.ts';
import { Requirements } from './requirements.ts';
import { addResources } from './resource-list.ts';
import type { Resources } from './resources.ts';
import { TOLERATE_PREFER_NO_SCHEDULE, toleratesAll } from './taints.ts';
import type { World } from './types.ts';

/** One daemon pod per DaemonSet: the newest that runs, or what the template would make. */
export interface Daemon {
  readonly pod: Pod;
  readonly requests: Resources;
  readonly ports: readonly HostPort[];
  /** Upstream's fault: terms that failed once are gone for all types and nodes that come later. */
  readonly left?: Requirements[];
}

/** The part of a world that daemons come from. */
type DaemonWorld = Pick<World, 'daemonSets' | 'pods' | 'limitRanges'>;

/** Instance types with the daemons that all of them get. */
export interface DaemonGroupWithPorts extends DaemonGroup {
  readonly ports: readonly HostPort[];
}

export function daemonsOf(world: DaemonWorld, ignoreResourceClaims: boolean, keepKnownFaults = false): Daemon[] {
  const { daemonSets, pods } = world;
  // Upstream's fault: it does not see what a LimitRange will give to the pods.
  const limitRanges = keepKnownFaults ? [] : (world.limitRanges ?? []);
  if (daemonSets.length === 0) return [];
  const newest = newestByController(pods);
  return daemonSets
    .map((daemonSet) => daemonPod(daemonSet, newest.get(daemonSet.metadata.uid ?? ''), limitRanges))
    .filter((pod) => !(ignoreResourceClaims && usesResourceClaims(pod.spec)))
    .map((pod) => ({
      pod,
      requests: { ...podRequests(pod), pods: 1000 },
      ports: hostPorts(pod),
      ...(keepKnownFaults ? { left: alternatives(pod.spec) } : {}),
    }));
}

/** Sum of the daemons' requests, `pods` included. */
export function daemonOverhead(daemons: readonly Daemon[]): Resources {
  const sum = daemons.reduce<Resources>((total, daemon) => addResources(total, daemon.requests), {});
  return { ...sum, pods: daemons.length * 1000 };
}

/** The types grouped by the daemons they get, groups in order of their first type. */
export function groupByDaemons(
  types: readonly InstanceType[],
  daemons: readonly Daemon[],
  template: { readonly taints: readonly Taint[]; readonly requirements: Requirements },
  wellKnown: ReadonlySet<string>,
): DaemonGroupWithPorts[] {
  const groups = new Map<string, { instanceTypes: InstanceType[]; daemons: readonly Daemon[] }>();
  const fitting = daemons.filter(({ pod }) =>
    toleratesAll(template.taints, [...(pod.spec.tolerations ?? []), TOLERATE_PREFER_NO_SCHEDULE]),
  );
  const wishes = fitting.map(({ pod, left }) =>
    (left ?? alternatives(pod.spec)).filter((wish) => template.requirements.compatible(wish, wellKnown)),
  );
  for (const type of types) {
    const compatible = fitting.filter(({ left }, i) => {
      const fits = (wish: Requirements): boolean =>
        wishes[i]?.includes(wish) === true && type.requirements.intersects(wish);
      return left ? firstThatFits(left, fits) : wishes[i]?.some(fits);
    });
    const key = compatible.map(({ pod }) => `${pod.metadata.namespace}/${pod.metadata.name}`).join();
    const group = groups.get(key);
    if (group) group.instanceTypes.push(type);
    else groups.set(key, { instanceTypes: [type], daemons: compatible });
  }
  return [...groups.values()].map((group) => ({
    instanceTypes: group.instanceTypes,
    overhead: group.daemons.length > 0 ? daemonOverhead(group.daemons) : {},
    daemons: group.daemons.map(({ pod, requests }) => ({
      name: `${pod.metadata.namespace ?? 'default'}/${daemonSetName(pod)}`,
      requests,
    })),
    ports: group.daemons.flatMap(({ ports }) => ports),
  }));
}

/** Drops what doesn't fit, but for the last. */
function firstThatFits(left: Requirements[], fits: (wish: Requirements) => boolean): boolean {
  for (let wish = left[0]; wish; wish = left[0]) {
    if (fits(wish)) return true;
    if (left.length === 1) return false;
    left.shift();
  }
  return false;
}

/** A running daemon's controller; a made-up one has its name. */
function daemonSetName({ metadata }: Pod): string {
  return metadata.ownerReferences?.find(({ kind }) => kind === 'DaemonSet')?.name ?? metadata.name;
}

/** Daemons that run, or will run, on a node that exists. */
export function daemonsForNode(
  daemons: readonly Daemon[],
  taints: readonly Taint[],
  labels: Readonly<Record<string, string>>,
): readonly Daemon[] {
  if (daemons.length === 0) return daemons;
  const requirements = Requirements.fromLabels(labels);
  return daemons.filter(
    ({ pod, left }) =>
      toleratesAll(taints, [...(pod.spec.tolerations ?? []), TOLERATE_PREFER_NO_SCHEDULE]) &&
      (left?.slice(0, 1) ?? alternatives(pod.spec)).some((wish) => requirements.compatible(wish)),
  );
}

/** What the pod insists on, with each of its required terms in turn. */
function alternatives(spec: PodSpec): Requirements[] {
  const result: Requirements[] = [];
  for (let rest: PodSpec | undefined = spec; rest; rest = withoutFirstRequiredTerm(rest)) {
    result.push(Requirements.strictFromPod({ metadata: { name: '' }, spec: rest }));
  }
  return result;
}

function newestByController(pods: readonly Pod[]): ReadonlyMap<string, Pod> {
  const newest = new Map<string, Pod>();
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller);
    if (owner?.kind !== 'DaemonSet') continue;
    const known = newest.get(owner.uid);
    if (!known || (pod.metadata.creationTimestamp ?? '') > (known.metadata.creationTimestamp ?? '')) {
      newest.set(owner.uid, pod);
    }
  }
  return newest;
}

/** The node name that a running daemon pod is tied to gives way to what its DaemonSet asks for. */
function daemonPod(daemonSet: DaemonSet, running: Pod | undefined, limitRanges: readonly LimitRange[]): Pod {
  const template = daemonSet.spec.template.spec;
  const base = running ?? synthetic(daemonSet, template, defaultsOf(limitRanges, daemonSet.metadata.namespace));
  const required = template.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return base;
  const { affinity } = base.spec;
  const nodeAffinity = { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required };
  return { ...base, spec: { ...base.spec, affinity: { ...affinity, nodeAffinity } } };
}

function synthetic({ metadata }: DaemonSet, template: PodSpec, defaults: ContainerDefaults): Pod {
  const complete = (container: Container): Container => withDefaults(container, defaults);
  return {
    metadata: { name: metadata.name, ...(metadata.namespace ? { namespace: metadata.namespace } : {}) },
    spec: {
      ...template,
      containers: template.containers.map(complete),
      ...(template.initContainers ? { initContainers: template.initContainers.map(complete) } : {}),
    },
  };
}

/** What a namespace's LimitRanges give to containers that don't say. */
interface ContainerDefaults {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

function defaultsOf(limitRanges: readonly LimitRange[], namespace: string | undefined): ContainerDefaults {
  const limits = limitRanges
    .filter(({ metadata }) => metadata.namespace === namespace)
    .flatMap(({ spec }) => spec.limits)
    .filter(({ type }) => type === 'Container');
  return {
    requests: Object.assign(
      {},
      ...limits.map(({ default: limit, defaultRequest }) => ({ ...limit, ...defaultRequest })),
    ),
    limits: Object.assign({}, ...limits.map((range) => range.default)),
  };
}

/** As the API does for pods, but not for their templates: own limits become requests, then the defaults fill in. */
function withDefaults(container: Container, defaults: ContainerDefaults): Container {
  const { requests, limits } = container.resources ?? {};
  return {
    ...container,
    resources: {
      ...container.resources,
      limits: { ...defaults.limits, ...limits },
      requests: { ...defaults.requests, ...limits, ...requests },
    },
  };
}
