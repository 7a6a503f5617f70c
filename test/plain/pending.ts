/** Which pods a pass is about (karpenter-core.md 3.1.1, 3.3.3, 3.4). */
import { parseDuration } from '../../src/apis/duration.ts';
import { normalizedLabel } from '../../src/apis/normalized-labels.ts';
import type { Pod, PodDisruptionBudget } from '../../src/kube/objects.ts';
import { isActive, isOwnedBy, isTerminating } from '../../src/kube/pods.ts';
import { selects } from '../../src/kube/selectors.ts';
import { tolerates } from '../../src/kube/taints.ts';
import type { ScheduleOptions, World } from '../../src/scheduling/index.ts';
import type { Item } from './requirement.ts';
import { allWishes } from './requirements.ts';
import type { Volumes } from './volumes.ts';

const belongsToNode = (pod: Pod): boolean => isOwnedBy(pod, 'DaemonSet', 'apps') || isOwnedBy(pod, 'Node', '');

export function waits({ metadata, spec, status }: Pod): boolean {
  const refused = status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable');
  return Boolean(refused) && !spec.nodeName && !status?.nominatedNodeName && !belongsToNode({ metadata, spec });
}

/** The pod is not even tried. */
export function isRefused(pod: Pod, volumes: Volumes, mayLack: ReadonlySet<string>, options: ScheduleOptions): boolean {
  const { nodeSelector = {}, affinity } = pod.spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const selected = Object.entries(nodeSelector).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  const items = [...selected, ...required.flatMap(({ matchExpressions = [] }) => matchExpressions)];
  const pool = affinity?.nodeAffinity && allWishes(pod).get('karpenter.sh/nodepool');
  return (
    volumes.areBroken(pod) ||
    (pool !== undefined && !pool.others && pool.values.size === 0) ||
    required.some(({ matchFields }) => matchFields?.length) ||
    items.some((item) => !isValid(item) || isRestricted(item.key, mayLack, options))
  );
}

function isValid({ key: given, operator, values = [] }: Item): boolean {
  const key = normalizedLabel(given);
  const isCapacityType = key === 'karpenter.sh/capacity-type';
  switch (operator) {
    case 'In':
      return (
        values.length > 0 && (!isCapacityType || values.some((v) => ['on-demand', 'spot', 'reserved'].includes(v)))
      );
    case 'NotIn':
    case 'Exists':
    case 'DoesNotExist':
      return true;
    case 'Gt':
    case 'Gte':
    case 'Lt':
    case 'Lte':
      return values.length === 1 && /^\+?\d+$/.test(values[0] ?? '');
    default:
      return false;
  }
}

function isRestricted(given: string, wellKnown: ReadonlySet<string>, options: ScheduleOptions): boolean {
  const key = normalizedLabel(given);
  if (wellKnown.has(key)) return false;
  const [domain = ''] = key.includes('/') ? key.split('/') : [];
  const restricted = ['karpenter.sh', ...(options.restrictedLabelDomains ?? [])];
  return key === 'kubernetes.io/hostname' || restricted.some((one) => domain === one || domain.endsWith(`.${one}`));
}

/** Pods of nodes that are going away, as far as they will move. */
export function leaving({ nodes, pods, podDisruptionBudgets, now }: World): readonly Pod[] {
  const going = nodes.filter(({ markedForDeletion }) => markedForDeletion).map(({ node }) => node?.metadata.name);
  return pods.filter((pod) => {
    if (!pod.spec.nodeName || !going.includes(pod.spec.nodeName) || belongsToNode(pod)) return false;
    if (isActive(pod)) return !isProtected(pod, now) && !isHeld(pod, podDisruptionBudgets);
    return isTerminating(pod) && isOwnedBy(pod, 'StatefulSet', 'apps') && !isEnded(pod);
  });
}

function isEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function isProtected({ metadata, status }: Pod, now: number): boolean {
  const value = metadata.annotations?.['karpenter.sh/do-not-disrupt'];
  if (value === 'true') return true;
  const duration = value === undefined ? undefined : parseDuration(value);
  if (duration === undefined || duration <= 0) return false;
  return status?.startTime === undefined || now < Date.parse(status.startTime) + duration;
}

/** By a budget that never lets go, or by more than one. */
function isHeld(pod: Pod, all: readonly PodDisruptionBudget[]): boolean {
  const { metadata, spec, status } = pod;
  if (spec.tolerations?.some((one) => tolerates(one, { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' })))
    return false;
  const budgets = all.filter(
    (b) => b.metadata.namespace === metadata.namespace && selects(b.spec.selector, metadata.labels),
  );
  if (budgets.length > 1) return true;
  const unready = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'False');
  return budgets.some(({ spec: { maxUnavailable, minAvailable, unhealthyPodEvictionPolicy } }) => {
    if (unready && unhealthyPodEvictionPolicy === 'AlwaysAllow') return false;
    return maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%';
  });
}
