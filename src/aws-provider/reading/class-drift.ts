import { LABEL_INSTANCE_TYPE } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { InstanceType } from '../../scheduling/instance-type.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { ANNOTATION_NODE_CLASS_HASH } from '../apis/labels.ts';
import { isStaticallyDrifted } from '../drift/static-drift.ts';
import { mapToInstanceTypes } from '../providers/ami-family/map-to-instance-types.ts';

/** Reasons of the condition Drifted that an EC2NodeClass is the cause of (aws-provider.md section 8). */
export const EC2_DRIFT_REASONS: ReadonlySet<string> = new Set([
  'NodeClassDrift',
  'AMIDrift',
  'SubnetDrift',
  'SecurityGroupDrift',
  'CapacityReservationDrift',
  'PlacementGroupDrift',
]);

/** How a claim has drifted from its class, as far as the two of them show: fields of the class, and the image. */
export function driftOfClaim(
  claim: NodeClaim,
  nodeClass: EC2NodeClass,
  types: readonly InstanceType[],
): { readonly reason: string; readonly what: string } | undefined {
  if (isStaticallyDrifted(claim, nodeClass)) {
    const hashOf = ({ metadata }: NodeClaim | EC2NodeClass) => metadata.annotations?.[ANNOTATION_NODE_CLASS_HASH];
    return {
      reason: 'NodeClassDrift',
      what: `fields of the class were edited since: it was launched with hash ${hashOf(claim)}, the class has ${hashOf(nodeClass)}`,
    };
  }
  const has = claim.status?.imageID;
  const type = types.find(({ name }) => name === claim.metadata.labels?.[LABEL_INSTANCE_TYPE]);
  const amis = nodeClass.status?.amis ?? [];
  if (!has || !type || amis.length === 0) return undefined;
  const [wanted] = mapToInstanceTypes([type], amis).keys();
  if (wanted === has) return undefined;
  const name = amis.find(({ id }) => id === wanted)?.name;
  const would = wanted === undefined ? 'none of the class is for its type' : `a new ${type.name} gets ${wanted}`;
  return { reason: 'AMIDrift', what: `it runs ${has}, ${would}${name ? ` (${name})` : ''}` };
}
