import {
  CAPACITY_TYPE_ON_DEMAND,
  CAPACITY_TYPE_RESERVED,
  CAPACITY_TYPE_SPOT,
  LABEL_CAPACITY_TYPE,
} from '../../../apis/labels.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import type { Requirements } from '../../../scheduling/requirements.ts';
import { LABEL_INSTANCE_TENANCY } from '../../apis/labels.ts';
import { launchableOfferings, withCapacityType } from './offerings.ts';

/** How the claim is launched: reserved if it can, else spot if it can, else on demand (aws-provider.md 17.7). */
export function capacityTypeFor(requirements: Requirements, types: readonly InstanceType[]): string {
  const allowed = requirements.get(LABEL_CAPACITY_TYPE);
  const found = [CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_SPOT].find((capacityType) => {
    if (!allowed.has(capacityType)) return false;
    const narrowed = withCapacityType(requirements, capacityType);
    return types.some((type) => launchableOfferings(type, narrowed).length > 0);
  });
  return found ?? CAPACITY_TYPE_ON_DEMAND;
}

/** Dedicated hardware only for claims that insist on it. */
export function tenancyFor(requirements: Requirements): string {
  const allowed = requirements.get(LABEL_INSTANCE_TENANCY);
  return !allowed.has('default') && allowed.has('dedicated') ? 'dedicated' : 'default';
}
