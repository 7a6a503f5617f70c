import type { Entry } from '../moto/server.ts';

interface FleetRequest {
  readonly Type: string;
  readonly SpotOptions?: { readonly AllocationStrategy: string };
  readonly OnDemandOptions?: { readonly AllocationStrategy: string };
  readonly TargetCapacitySpecification: {
    readonly DefaultTargetCapacityType: string;
    readonly TotalTargetCapacity: number;
  };
  readonly LaunchTemplateConfigs: readonly {
    readonly Overrides: readonly { readonly InstanceType: string; readonly AvailabilityZone: string }[];
  }[];
}

/** What a fleet was asked for, in words. */
export function fleetText({ params }: Entry): readonly string[] {
  const request = params as unknown as FleetRequest;
  const { DefaultTargetCapacityType: capacity, TotalTargetCapacity: count } = request.TargetCapacitySpecification;
  const strategy = (request.SpotOptions ?? request.OnDemandOptions)?.AllocationStrategy;
  const overrides = request.LaunchTemplateConfigs.flatMap(({ Overrides }) => Overrides);
  const types = new Set(overrides.map(({ InstanceType }) => InstanceType));
  const zones = new Set(overrides.map(({ AvailabilityZone }) => AvailabilityZone));
  return [
    `CreateFleet: ${count} ${capacity}, ${request.Type}, ${strategy}; ${types.size} types in ${zones.size} zones as`,
    `${overrides.length} overrides of ${request.LaunchTemplateConfigs.length} launch template(s).`,
  ];
}
