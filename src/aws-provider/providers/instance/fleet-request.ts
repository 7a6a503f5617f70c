import type {
  CreateFleetRequest,
  DefaultTargetCapacityType,
  FleetLaunchTemplateConfigRequest,
} from '@aws-sdk/client-ec2';
import { CAPACITY_TYPE_SPOT } from '../../../apis/labels.ts';
import { tagList } from '../../aws-api/tags.ts';
import type { ReservationKind } from './offerings.ts';

export interface FleetFacts {
  readonly capacityType: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly configs: FleetLaunchTemplateConfigRequest[];
  /** Of a reserved launch. */
  readonly reservation?: ReservationKind;
  /** EC2's context of the request. */
  readonly context?: string;
  /** A NodeOverlay has changed prices: EC2 shall go by them, not by its own. */
  readonly byPriority: boolean;
}

const TAGGED = ['instance', 'volume', 'fleet'] as const;

/** The request for one instance (aws-provider.md 17.10). */
export function fleetRequest({
  capacityType,
  tags,
  configs,
  reservation,
  context,
  byPriority,
}: FleetFacts): CreateFleetRequest {
  return {
    Type: 'instant',
    ...(context === undefined ? {} : { Context: context }),
    LaunchTemplateConfigs: configs,
    TargetCapacitySpecification: {
      DefaultTargetCapacityType: targetCapacityType(capacityType, reservation),
      TotalTargetCapacity: 1,
    },
    TagSpecifications: TAGGED.map((ResourceType) => ({ ResourceType, Tags: tagList(tags) })),
    ...allocation(capacityType, reservation, byPriority),
  };
}

function targetCapacityType(capacityType: string, reservation: ReservationKind | undefined): DefaultTargetCapacityType {
  if (capacityType === CAPACITY_TYPE_SPOT) return 'spot';
  if (reservation?.type === 'capacity-block') return 'capacity-block';
  return reservation?.interruptible ? 'reserved-capacity' : 'on-demand';
}

function allocation(
  capacityType: string,
  reservation: ReservationKind | undefined,
  byPriority: boolean,
): Pick<CreateFleetRequest, 'SpotOptions' | 'OnDemandOptions' | 'ReservedCapacityOptions'> {
  if (capacityType === CAPACITY_TYPE_SPOT) {
    const strategy = byPriority ? 'capacity-optimized-prioritized' : 'price-capacity-optimized';
    return { SpotOptions: { AllocationStrategy: strategy } };
  }
  if (reservation?.interruptible) {
    return { ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] } };
  }
  if (reservation?.type === 'capacity-block') return {};
  return { OnDemandOptions: { AllocationStrategy: byPriority ? 'prioritized' : 'lowest-price' } };
}
