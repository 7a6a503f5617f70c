import type { Affinity, DaemonSet, Pod, PodSpec, Toleration } from '../../kube/objects.ts';
import { podFromTemplate } from '../pod-from-template.ts';
import { REVISION_HASH } from '../revisions/plan.ts';

export const DAEMON_SET_KIND = { group: 'apps', version: 'v1', kind: 'DaemonSet' };

const exists = (name: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect,
});

/** A daemon stays on a node whatever the node's conditions. */
const TOLERATIONS: readonly Toleration[] = [
  exists('not-ready', 'NoExecute'),
  exists('unreachable', 'NoExecute'),
  exists('disk-pressure', 'NoSchedule'),
  exists('memory-pressure', 'NoSchedule'),
  exists('pid-pressure', 'NoSchedule'),
  exists('unschedulable', 'NoSchedule'),
];
const HOST_NETWORK_TOLERATION = exists('network-unavailable', 'NoSchedule');

/** The template's spec with the tolerations that all daemon pods get. */
export function daemonSpec(set: DaemonSet): PodSpec {
  const { spec } = set.spec.template;
  const own = spec.tolerations ?? [];
  const added = spec.hostNetwork === true ? [...TOLERATIONS, HOST_NETWORK_TOLERATION] : TOLERATIONS;
  const missing = added.filter(
    ({ key, effect }) => !own.some((t) => t.key === key && t.effect === effect && t.operator === 'Exists'),
  );
  return { ...spec, tolerations: [...own, ...missing] };
}

/** The daemon's pod for one node, which only that node's name satisfies. */
export function daemonPod(set: DaemonSet, nodeName: string, hash: string): Pod {
  const spec = daemonSpec(set);
  const template = {
    ...set.spec.template,
    metadata: {
      ...set.spec.template.metadata,
      labels: { ...set.spec.template.metadata?.labels, [REVISION_HASH]: hash },
    },
    spec: { ...spec, affinity: pinnedTo(nodeName, spec.affinity) },
  };
  return podFromTemplate(set, DAEMON_SET_KIND, template);
}

function pinnedTo(nodeName: string, affinity: Affinity | undefined): Affinity {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }];
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}

/** The node that a daemon pod is on or waits for. */
export function targetNode(pod: Pod): string | undefined {
  if (pod.spec.nodeName) return pod.spec.nodeName;
  return pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
    .flatMap((term) => term.matchFields ?? [])
    .find((field) => field.key === 'metadata.name' && field.operator === 'In')?.values?.[0];
}
