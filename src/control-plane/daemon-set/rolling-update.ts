import type { DaemonSet, Pod } from '../../kube/objects.ts';
import { isTerminating } from '../../kube/pods.ts';
import { scaledValue } from '../int-or-percent.ts';
import { isAvailable } from '../pod-state.ts';
import { REVISION_HASH } from '../revisions/plan.ts';
import type { Placement } from './placement.ts';

interface UpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly maxUnavailable?: number | string; readonly maxSurge?: number | string };
}

function rollingUpdateOf(set: DaemonSet): UpdateStrategy['rollingUpdate'] {
  const strategy = (set.spec.updateStrategy ?? {}) as UpdateStrategy;
  return (strategy.type ?? 'RollingUpdate') === 'RollingUpdate' ? (strategy.rollingUpdate ?? {}) : undefined;
}

/** Nodes that may run the new pod before the old one has gone. */
export function surgeLimit(set: DaemonSet, desired: number): number {
  return scaledValue(rollingUpdateOf(set)?.maxSurge, desired, 'up');
}

/** At least 1 where nothing else would move. */
function unavailableLimit(set: DaemonSet, desired: number): number {
  const limit = scaledValue(rollingUpdateOf(set)?.maxUnavailable ?? 1, desired, 'up');
  return limit === 0 && surgeLimit(set, desired) === 0 ? 1 : limit;
}

interface Step {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

interface View {
  readonly set: DaemonSet;
  readonly hash: string;
}

/** The pods to replace next; none under OnDelete. */
export function rollOut(
  view: View,
  byNode: ReadonlyMap<string, readonly Pod[]>,
  placement: (node: string) => Placement,
  now: number,
): Step {
  if (rollingUpdateOf(view.set) === undefined || isTerminating(view.set)) return { create: [], remove: [] };
  const nodes = [...byNode.keys()].filter((node) => placement(node) === 'run').length;
  const surge = surgeLimit(view.set, nodes);
  return surge > 0
    ? rollWithSurge(view, byNode, placement, surge, now)
    : rollInPlace(view, byNode, unavailableLimit(view.set, nodes), now);
}

function pairOf(view: View, pods: readonly Pod[]): { readonly fresh?: Pod; readonly stale?: Pod } {
  const alive = pods.filter((pod) => !isTerminating(pod));
  const isFresh = (pod: Pod): boolean => pod.metadata.labels?.[REVISION_HASH] === view.hash;
  return { fresh: alive.find(isFresh), stale: alive.find((pod) => !isFresh(pod)) };
}

function rollInPlace(view: View, byNode: ReadonlyMap<string, readonly Pod[]>, limit: number, now: number): Step {
  const minReady = view.set.spec.minReadySeconds ?? 0;
  let unavailable = 0;
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  for (const pods of byNode.values()) {
    const { fresh, stale } = pairOf(view, pods);
    if (fresh && !stale) {
      if (!isAvailable(fresh, minReady, now)) unavailable++;
    } else if (stale && !fresh && isAvailable(stale, minReady, now)) {
      candidates.push(stale);
    } else {
      unavailable++;
      if (stale && !fresh) broken.push(stale);
    }
  }
  return { create: [], remove: [...broken, ...candidates.slice(0, Math.max(0, limit - unavailable))] };
}

function rollWithSurge(
  view: View,
  byNode: ReadonlyMap<string, readonly Pod[]>,
  placement: (node: string) => Placement,
  limit: number,
  now: number,
): Step {
  const minReady = view.set.spec.minReadySeconds ?? 0;
  let surging = 0;
  const remove: Pod[] = [];
  const urgent: string[] = [];
  const candidates: string[] = [];
  for (const [node, pods] of byNode) {
    const { fresh, stale } = pairOf(view, pods);
    if (!stale) continue;
    if (fresh) {
      if (isAvailable(fresh, minReady, now)) remove.push(stale);
      else surging++;
    } else if (placement(node) !== 'run') {
      remove.push(stale);
    } else {
      (isAvailable(stale, minReady, now) ? candidates : urgent).push(node);
    }
  }
  return { create: [...urgent, ...candidates.slice(0, Math.max(0, limit - surging))], remove };
}
