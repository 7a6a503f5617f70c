import { CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_SPOT, LABEL_CAPACITY_TYPE } from '../../../apis/labels.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { LaunchPlan } from './launch.ts';

/** With fewer types, a claim that has fallen back to on demand may well get nothing. */
const RECOMMENDED_TYPES = 5;

/** Says in the log when a claim that could be spot goes on demand with few types to choose from; nothing more comes of it. */
export function warnOfOnDemandFallback(
  { requirements, instanceTypes, capacityType }: Pick<LaunchPlan, 'requirements' | 'instanceTypes' | 'capacityType'>,
  log: Logger,
): void {
  if (capacityType !== CAPACITY_TYPE_ON_DEMAND || !requirements.get(LABEL_CAPACITY_TYPE).has(CAPACITY_TYPE_SPOT))
    return;
  if (instanceTypes.length >= RECOMMENDED_TYPES) return;
  const text =
    `at least ${RECOMMENDED_TYPES} instance types are recommended when flexible to spot but requesting on-demand, ` +
    `the current provisioning request only has ${instanceTypes.length} instance type options`;
  log.error('failed while checking on-demand fallback', new Error(text));
}
