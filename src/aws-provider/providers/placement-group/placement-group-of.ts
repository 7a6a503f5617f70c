import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { PlacementGroup, PlacementGroupProvider } from '../contracts.ts';

/** The group that the class names; while EC2 does not answer, as it was known last. */
export async function placementGroupOf(
  placementGroups: PlacementGroupProvider,
  nodeClass: EC2NodeClass,
  signal?: AbortSignal,
): Promise<PlacementGroup | undefined> {
  return await placementGroups.get(nodeClass, signal).catch(() => placementGroups.known(nodeClass));
}
