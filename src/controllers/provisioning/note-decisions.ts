import { NODE_REGISTRATION_HEALTHY } from '../../apis/condition-types.ts';
import { conditionIsTrue } from '../../kube/conditions.ts';
import type { Pod } from '../../kube/objects.ts';
import { isVirtualPod } from '../../scheduling/buffers/virtual-pods.ts';
import { nodePoolName } from '../../scheduling/state-node.ts';
import type { Results } from '../../scheduling/types.ts';
import type { ControllerContext } from '../context.ts';

type Deps = Pick<ControllerContext, 'cluster' | 'metrics' | 'nodePools'>;

/** Notes what a pass has found for each pod, and measures how long those had waited that got their first answer (8.12, 11.2.15). */
export function noteDecisions({ cluster, metrics, nodePools }: Deps, results: Results): void {
  const { podTimings } = cluster;
  const answer = (pod: Pod, note: () => number | undefined): void => {
    const waited = isVirtualPod(pod) ? undefined : note();
    if (waited !== undefined) metrics.observe('pods_scheduling_decision_duration_seconds', waited / 1000);
  };
  const isHealthy = (pool: string): boolean => conditionIsTrue(nodePools.get(pool), NODE_REGISTRATION_HEALTHY);
  for (const pod of [...results.podErrors.keys(), ...(results.rejected?.keys() ?? [])])
    answer(pod, () => podTimings.failed(pod));
  for (const { nodePool, pods } of results.newNodeClaims) {
    const healthyPool = isHealthy(nodePool.metadata.name);
    for (const pod of pods) answer(pod, () => podTimings.placed(pod, { healthyPool }));
  }
  for (const { node, pods } of results.existingNodes) {
    const placement = { healthyPool: isHealthy(nodePoolName(node) ?? ''), nodeClaim: node.nodeClaim?.metadata.name };
    for (const pod of pods) answer(pod, () => podTimings.placed(pod, placement));
  }
}
