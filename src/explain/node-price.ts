import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_ZONE } from '../apis/labels.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import { nodeLabels, nodePoolName } from '../scheduling/state-node.ts';
import type { StateNode, World } from '../scheduling/types.ts';

/**
 * What a node with these labels costs an hour: the price of its instance type's offering in its zone and capacity type,
 * available or not. Undefined when type or offering are not in the list.
 */
export function nodePrice(
  labels: Readonly<Record<string, string>> = {},
  types: readonly InstanceType[],
): number | undefined {
  const type = types.find(({ name }) => name === labels[LABEL_INSTANCE_TYPE]);
  const offering = type?.offerings.find(({ requirements }) =>
    [LABEL_ZONE, LABEL_CAPACITY_TYPE].every((key) => requirements.get(key).has(labels[key] ?? '')),
  );
  return offering?.price;
}

/** What the node costs an hour by its pool's prices in that world. */
export function priceIn(world: World, node: StateNode): number | undefined {
  const pool = world.pools.find(({ nodePool }) => nodePool.metadata.name === nodePoolName(node));
  return nodePrice(nodeLabels(node), pool?.instanceTypes ?? []);
}
