import type { NodePool } from '../../../apis/node-pool.ts';
import type { Event } from '../../../events/recorder.ts';
import { NodePools } from '../../../kube/resources.ts';

export function zonalShiftActive(nodePool: NodePool, zone: string, zoneID: string): Event {
  return {
    resource: NodePools,
    object: nodePool,
    type: 'Warning',
    reason: 'ZonalShiftActive',
    message: `Zonal shift detected: offerings in zone ${zone} (${zoneID}) are unavailable for this NodePool`,
    dedupe: [nodePool.metadata.uid ?? '', zoneID],
  };
}

export function zonalShiftCleared(nodePool: NodePool, zone: string, zoneID: string): Event {
  return {
    resource: NodePools,
    object: nodePool,
    type: 'Normal',
    reason: 'ZonalShiftCleared',
    message: `Zonal shift cleared: offerings in zone ${zone} (${zoneID}) are restored for this NodePool`,
    dedupe: [nodePool.metadata.uid ?? '', zoneID],
  };
}
