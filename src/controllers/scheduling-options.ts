import type { ProviderRules } from '../cloudprovider/types.ts';
import type { ScheduleOptions } from '../scheduling/types.ts';

/** What the operator's options say about scheduling. */
export interface SchedulingSettings {
  readonly preferencePolicy: 'Respect' | 'Ignore';
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  readonly ignoreDRARequests: boolean;
  readonly reservedCapacity: boolean;
}

type Shared = Omit<ScheduleOptions, 'reservedOfferingMode' | 'enforceConsolidateAfter' | 'expired'>;

/** Options that provisioning and disruption have in common. */
export function schedulingOptions(settings: SchedulingSettings, cloud: ProviderRules): Shared {
  const { preferencePolicy, minValuesPolicy, ignoreDRARequests, reservedCapacity } = settings;
  return {
    preferencePolicy,
    minValuesPolicy,
    ignoreDRARequests,
    reservedCapacity,
    reasons: false,
    wellKnownLabels: cloud.wellKnownLabels,
    restrictedLabelDomains: cloud.restrictedLabelDomains,
    wellKnownValues: cloud.wellKnownValues ?? {},
    ...(cloud.reservationIDLabel === undefined ? {} : { reservationIDLabel: cloud.reservationIDLabel }),
    unsupportedVolumes: {
      provisioners: cloud.unsupportedProvisioners ?? new Set(),
      topologyKeys: cloud.unsupportedTopologyKeys ?? new Set(),
    },
  };
}
