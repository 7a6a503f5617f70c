import { LABEL_NODEPOOL } from '../../apis/labels.ts';
import { NodePools } from '../../kube/resources.ts';
import type { GaugeSeries } from '../../metrics/metrics.ts';
import { toResources } from '../../scheduling/resource-list.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedPool } from '../managed.ts';
import { perResource } from './amounts.ts';

type Deps = Pick<ControllerContext, 'cluster' | 'cloud' | 'informers' | 'costs'>;

/** What pools may have, have, and cost per hour (karpenter-core.md 11.4.28). */
export function nodePoolSeries({ cluster, cloud, informers, costs }: Deps): GaugeSeries {
  const pools = informers
    .reader(NodePools)
    .list()
    .filter((nodePool) => isManagedPool(cloud, nodePool));
  const costOf = new Map<string, number>();
  for (const { nodeClaim } of cluster.nodes()) {
    const pool = nodeClaim?.metadata.labels?.[LABEL_NODEPOOL];
    if (nodeClaim && pool) costOf.set(pool, (costOf.get(pool) ?? 0) + (costs.priceOf(nodeClaim) ?? 0));
  }
  return {
    nodepools_limit: pools.flatMap(({ metadata: { name }, spec }) =>
      perResource({ nodepool: name }, toResources(spec.limits)),
    ),
    nodepools_usage: pools.flatMap(({ metadata: { name }, status }) =>
      perResource({ nodepool: name }, toResources(status?.resources)),
    ),
    nodepools_cost_total: pools.map(({ metadata: { name } }) => ({
      labels: { nodepool: name },
      value: costOf.get(name) ?? 0,
    })),
  };
}
