import { LABEL_INSTANCE_TYPE } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { InstanceType } from '../../scheduling/instance-type.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { mapToInstanceTypes } from '../providers/ami-family/map-to-instance-types.ts';

/** Its type would be launched from another image now. @throws when it can't be told. */
export function isAmiDrifted(
  { metadata, status }: NodeClaim,
  nodeClass: EC2NodeClass,
  instanceTypes: readonly InstanceType[],
): boolean {
  const name = metadata.labels?.[LABEL_INSTANCE_TYPE];
  const type = instanceTypes.find((each) => each.name === name);
  if (!type) throw new Error(`finding node instance type (instance-type=${name ?? ''})`);
  const amis = nodeClass.status?.amis ?? [];
  if (amis.length === 0) throw new Error('no amis exist given constraints');
  if (!status?.imageID) throw new Error('no ami ID found in nodeClaim status');
  return !mapToInstanceTypes([type], amis).has(status.imageID);
}
