import type {
  CreateFleetError,
  CreateFleetInstance,
  CreateFleetRequest,
  CreateFleetResult,
  FleetLaunchTemplateOverridesRequest,
} from '@aws-sdk/client-ec2';
import { awsError, dryRunSuccess } from '../scripted-api.ts';
import { type FakeCloud, type FakeLaunchTemplate, type FleetFailure, poolOf } from './cloud.ts';
import { tagsFor } from './filters.ts';
import { launchInstance } from './launch.ts';
import { refusalOf } from './refusal.ts';

/** One thing that a fleet may launch: an override with its launch template. */
export interface Candidate {
  readonly template: FakeLaunchTemplate;
  readonly override: FleetLaunchTemplateOverridesRequest;
  readonly instanceType: string;
  readonly zone: string;
  /** `on-demand`, `spot`, `capacity-block` or `reserved-capacity`. */
  readonly market: string;
}

/** CreateFleet of type `instant`. */
export function createFleet(cloud: FakeCloud, input: CreateFleetRequest): CreateFleetResult {
  const candidates = candidatesOf(cloud, input);
  if (input.DryRun) throw dryRunSuccess();
  if (input.Type !== 'instant') throw awsError('InvalidParameterValue', `The fleet type ${input.Type} is not faked`);

  const errors = new Map<Candidate, FleetFailure>();
  const launched = new Map<Candidate, string[]>();
  const tags = tagsFor(input.TagSpecifications, 'instance');
  const target = Math.min(input.TargetCapacitySpecification?.TotalTargetCapacity ?? 0, cloud.maxInstancesPerFleet);
  const reservationId = cloud.newId('r');
  for (let count = 0; count < target; count++) {
    const candidate = candidates.find((each) => {
      if (errors.has(each)) return false;
      const refusal = refusalOf(cloud, each);
      if (refusal) errors.set(each, refusal);
      return !refusal;
    });
    if (!candidate) break;
    const ids = launched.get(candidate) ?? [];
    ids.push(launchInstance(cloud, candidate, tags, reservationId));
    launched.set(candidate, ids);
  }
  return {
    FleetId: cloud.newId('fleet'),
    Instances: [...launched].map(([candidate, ids]) => fleetInstance(candidate, ids)),
    Errors: [...errors].map(([candidate, failure]) => fleetError(candidate, failure)),
  };
}

/** In the order in which EC2 would take them. */
function candidatesOf(cloud: FakeCloud, input: CreateFleetRequest): readonly Candidate[] {
  const market = input.TargetCapacitySpecification?.DefaultTargetCapacityType ?? 'on-demand';
  const candidates = (input.LaunchTemplateConfigs ?? []).flatMap(({ LaunchTemplateSpecification, Overrides }) => {
    const name = LaunchTemplateSpecification?.LaunchTemplateName ?? '';
    const template = cloud.launchTemplates.get(name);
    if (!template) {
      throw awsError(
        'InvalidLaunchTemplateName.NotFoundException',
        `The specified launch template, with template name ${name}, does not exist.`,
      );
    }
    return (Overrides ?? []).map((override): Candidate => {
      const subnet = cloud.subnets.find(({ SubnetId }) => SubnetId === override.SubnetId);
      const zone = subnet?.AvailabilityZone ?? override.AvailabilityZone ?? '';
      return { template, override, instanceType: override.InstanceType ?? '', zone, market };
    });
  });
  const rank = rankOf(cloud, input, market);
  return candidates.toSorted((a, b) => rank(a) - rank(b));
}

function rankOf(cloud: FakeCloud, input: CreateFleetRequest, market: string): (candidate: Candidate) => number {
  const byPriority = ({ override }: Candidate): number => override.Priority ?? Number.POSITIVE_INFINITY;
  if (market === 'spot') {
    if (input.SpotOptions?.AllocationStrategy === 'capacity-optimized-prioritized') return byPriority;
    return ({ instanceType, zone }) => cloud.spotPrice(instanceType, zone) ?? Number.MAX_VALUE;
  }
  if (input.OnDemandOptions?.AllocationStrategy === 'prioritized') return byPriority;
  return ({ instanceType }) => cloud.onDemandPrices.get(instanceType) ?? Number.MAX_VALUE;
}

/** What the answer says of where an instance was launched, or was not. */
function whereabouts({
  template,
  override,
  zone,
  market,
}: Candidate): Pick<CreateFleetError & CreateFleetInstance, 'LaunchTemplateAndOverrides' | 'Lifecycle'> {
  const { LaunchTemplateId, LaunchTemplateName } = template.template;
  const { Placement: _, BlockDeviceMappings: __, ...plain } = override;
  return {
    LaunchTemplateAndOverrides: {
      LaunchTemplateSpecification: { LaunchTemplateId, LaunchTemplateName, Version: '1' },
      Overrides: { ...plain, AvailabilityZone: zone },
    },
    Lifecycle: market === 'spot' ? 'spot' : 'on-demand',
  };
}

function fleetInstance(candidate: Candidate, ids: string[]): CreateFleetInstance {
  return { ...whereabouts(candidate), InstanceIds: ids, InstanceType: candidate.override.InstanceType };
}

function fleetError(candidate: Candidate, { code, message = code }: FleetFailure): CreateFleetError {
  return { ...whereabouts(candidate), ErrorCode: code, ErrorMessage: message };
}

/** The pool that a candidate takes from. */
export const poolOfCandidate = ({ market, instanceType, zone }: Candidate): string =>
  poolOf(market, instanceType, zone);
