import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import type { AMIStatus } from '../../apis/ec2-node-class.ts';

/** The instance types that each image is launched on: each type takes the first image that is for it. By id of the image. */
export function mapToInstanceTypes(
  instanceTypes: readonly InstanceType[],
  amis: readonly AMIStatus[],
): ReadonlyMap<string, readonly InstanceType[]> {
  const candidates = amis.map(({ id, requirements }) => ({ id, requirements: Requirements.fromItems(requirements) }));
  const byImage = new Map<string, InstanceType[]>();
  for (const type of instanceTypes) {
    const image = candidates.find(({ requirements }) => type.requirements.compatible(requirements));
    if (!image) continue;
    const types = byImage.get(image.id);
    if (types) types.push(type);
    else byImage.set(image.id, [type]);
  }
  return byImage;
}
