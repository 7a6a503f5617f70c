/** Pods that come with every node (karpenter-core.md 3.8, 4.3.3). */
import type { Container, DaemonSet, Pod, Taint } from '../../src/kube/objects.ts';
import type { World } from '../../src/scheduling/index.ts';
import { type Amounts, sum } from './amounts.ts';
import { type Port, portsOf, requestsOf, usesResourceClaims } from './pod-needs.ts';
import { TOLERATE_PREFERENCES, withEachTerm } from './relaxation.ts';
import { strictWishes, type Wishes } from './requirements.ts';
import { toleratesAll } from './taints.ts';

export interface Daemon {
  readonly pod: Pod;
  readonly requests: Amounts;
  readonly ports: readonly Port[];
  /** One is enough. */
  readonly wishes: readonly Wishes[];
}

export function daemonsOf(world: World, ignoreResourceClaims: boolean): readonly Daemon[] {
  return world.daemonSets
    .map((daemonSet) => podOf(daemonSet, world))
    .filter((pod) => !(ignoreResourceClaims && usesResourceClaims(pod)))
    .map((pod) => ({
      pod,
      requests: requestsOf(pod),
      ports: portsOf(pod),
      wishes: withEachTerm(pod.spec).map((spec) => strictWishes({ ...pod, spec })),
    }));
}

export function toleratesTaints({ pod }: Daemon, taints: readonly Taint[]): boolean {
  return toleratesAll(taints, [...(pod.spec.tolerations ?? []), TOLERATE_PREFERENCES]);
}

export function overheadOf(daemons: readonly Daemon[]): Amounts {
  return sum(...daemons.map(({ requests }) => requests));
}

/** The newest that runs, or what the template would make; where it may be, the template says. */
function podOf(daemonSet: DaemonSet, world: World): Pod {
  const { spec } = daemonSet.spec.template;
  const own = world.pods
    .filter(({ metadata }) =>
      metadata.ownerReferences?.some(({ controller, kind, uid }) => {
        return controller && kind === 'DaemonSet' && uid === daemonSet.metadata.uid;
      }),
    )
    .toSorted((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? 1 : -1));
  const pod = own[0] ?? fromTemplate(daemonSet, world);
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return pod;
  const { affinity } = pod.spec;
  const nodeAffinity = { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required };
  return { ...pod, spec: { ...pod.spec, affinity: { ...affinity, nodeAffinity } } };
}

/** Limits stand in for requests, and the namespace's defaults for both. */
function fromTemplate({ metadata, spec }: DaemonSet, world: World): Pod {
  const ranges = (world.limitRanges ?? [])
    .filter((range) => range.metadata.namespace === metadata.namespace)
    .flatMap((range) => range.spec.limits.filter(({ type }) => type === 'Container'));
  const defaults = Object.assign({}, ...ranges.map((range) => ({ ...range.default, ...range.defaultRequest })));
  const complete = (container: Container): Container => {
    const { limits, requests } = container.resources ?? {};
    return { ...container, resources: { ...container.resources, requests: { ...defaults, ...limits, ...requests } } };
  };
  const { containers, initContainers = [] } = spec.template.spec;
  return {
    metadata: { name: metadata.name, namespace: metadata.namespace ?? '' },
    spec: { ...spec.template.spec, containers: containers.map(complete), initContainers: initContainers.map(complete) },
  };
}
