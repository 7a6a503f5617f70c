import { findCondition } from '../../kube/conditions.ts';
import type { Node, Taint } from '../../kube/objects.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

const PRESSURE: readonly (readonly [string, string])[] = [
  ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'node.kubernetes.io/network-unavailable'],
];

const MANAGED = new Set([NOT_READY, UNREACHABLE, UNSCHEDULABLE, ...PRESSURE.map(([, key]) => key)]);

/**
 * The node's taints as its conditions and spec.unschedulable ask for: those that are right stay with their time, those
 * that aren't go, and what others put there is left alone. The same list is returned when nothing changes.
 */
export function lifecycleTaints(node: Node, now: number): readonly Taint[] {
  const before = node.spec.taints ?? [];
  // As long as the kubelet has said nothing, what admission put on the node holds.
  if (findCondition(node, 'Ready') === undefined) return before;
  const wanted = wantedTaints(node);
  const isWanted = ({ key, effect }: Taint): boolean => wanted.some((t) => t.key === key && t.effect === effect);
  const kept = before.filter((taint) => !isManaged(taint) || isWanted(taint));
  const added = wanted
    .filter(({ key, effect }) => !before.some((taint) => taint.key === key && taint.effect === effect))
    .map((taint) => ({ ...taint, timeAdded: formatTimestamp(now) }));
  return kept.length === before.length && added.length === 0 ? before : [...kept, ...added];
}

function isManaged({ key, effect }: Taint): boolean {
  return MANAGED.has(key) && (effect === 'NoSchedule' || key === NOT_READY || key === UNREACHABLE);
}

function wantedTaints(node: Node): readonly Taint[] {
  const keys = PRESSURE.filter(([type]) => findCondition(node, type)?.status === 'True').map(([, key]) => key);
  if (node.spec.unschedulable === true) keys.push(UNSCHEDULABLE);
  const ready = findCondition(node, 'Ready')?.status;
  const health = ready === 'False' ? NOT_READY : ready === 'Unknown' ? UNREACHABLE : undefined;
  return [
    ...keys.map((key) => ({ key, effect: 'NoSchedule' })),
    ...(health === undefined ? [] : ['NoSchedule', 'NoExecute'].map((effect) => ({ key: health, effect }))),
  ];
}
