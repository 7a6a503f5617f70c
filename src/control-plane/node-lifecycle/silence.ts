import type { Condition, Node } from '../../kube/objects.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';

const JUDGED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of a node whose kubelet has fallen silent: all that it reported is Unknown. */
export function silencedConditions(node: Node, now: number): readonly Condition[] {
  const before = node.status?.conditions ?? [];
  const time = formatTimestamp(now);
  const silenced = before.map((condition): Condition => {
    if (!JUDGED.includes(condition.type) || condition.status === 'Unknown') return condition;
    return {
      ...condition,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: time,
    };
  });
  const missing = JUDGED.filter((type) => !before.some((condition) => condition.type === type));
  const never = missing.map((type): Condition => {
    return {
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      lastHeartbeatTime: node.metadata.creationTimestamp,
      lastTransitionTime: time,
    };
  });
  return [...silenced, ...never];
}

/** The last sign of life as the node itself and its lease tell, and when this controller noticed it. */
export interface SignOfLife {
  readonly stamp: string;
  readonly at: number;
}

/**
 * Updates what is known of a node. At the first look the sign counts as given now: after a restart old leases must not
 * condemn all nodes at once. Later the node's own times count, since looks are rare.
 */
export function observe(
  before: SignOfLife | undefined,
  heartbeat: string | undefined,
  renewTime: string | undefined,
  now: number,
): SignOfLife {
  const stamp = `${heartbeat ?? ''} ${renewTime ?? ''}`;
  if (before === undefined) return { stamp, at: now };
  if (before.stamp === stamp) return before;
  const latest = Math.max(...[heartbeat, renewTime].map((time) => (time === undefined ? 0 : Date.parse(time))));
  return { stamp, at: Math.min(now, Math.max(before.at, latest)) };
}
