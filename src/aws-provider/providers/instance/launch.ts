import type { CreateFleetInstance, CreateFleetRequest, CreateFleetResult } from '@aws-sdk/client-ec2';
import { ANNOTATION_MIN_VALUES_RELAXED, ANNOTATION_PRICE_OVERLAID } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { CreateError } from '../../../cloudprovider/errors.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import type { Requirements } from '../../../scheduling/requirements.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { errorCode } from '../../aws-api/error-code.ts';
import { reasonMessage } from '../../aws-api/reason-message.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { CreateFleetBatcher } from '../../batcher/create-fleet.ts';
import type {
  LaunchTemplateProvider,
  PlacementGroupProvider,
  PlacementGroupScope,
  SubnetForLaunch,
  SubnetProvider,
} from '../contracts.ts';
import { placementOfLaunch } from '../placement-group/placement-of-launch.ts';
import { combinedError } from './fleet-errors.ts';
import type { FleetFeedback } from './fleet-feedback.ts';
import { fleetRequest } from './fleet-request.ts';
import { reservationKindOf, withCapacityType } from './offerings.ts';
import { warnOfOnDemandFallback } from './on-demand-fallback.ts';
import { launchTemplateConfigs } from './overrides.ts';

export interface LaunchDeps {
  readonly subnets: SubnetProvider;
  readonly launchTemplates: LaunchTemplateProvider;
  readonly placementGroups: PlacementGroupProvider;
  readonly fleets: Pick<CreateFleetBatcher, 'createFleet'>;
  readonly feedback: FleetFeedback;
  readonly log: Logger;
}

/** What shall be launched, decided but for the launch template and the subnet. */
export interface LaunchPlan {
  readonly nodeClass: EC2NodeClass;
  readonly nodeClaim: NodeClaim;
  readonly requirements: Requirements;
  /** The cheapest first. */
  readonly instanceTypes: readonly InstanceType[];
  readonly capacityType: string;
  readonly tenancy: string;
  readonly tags: Readonly<Record<string, string>>;
}

export interface LaunchedInstance {
  readonly fleetInstance: CreateFleetInstance;
  readonly subnets: ReadonlyMap<string, SubnetForLaunch>;
  readonly scope: PlacementGroupScope;
}

/** EC2 does not know a launch template that the request names. */
export const isLaunchTemplateUnknown = (error: unknown): boolean =>
  errorCode(error) === 'InvalidLaunchTemplateName.NotFoundException';

/** From a plan to an instance: subnets, launch templates, one CreateFleet (aws-provider.md 17.8 to 17.11). */
export class Launch {
  readonly #deps: LaunchDeps;

  constructor(deps: LaunchDeps) {
    this.#deps = deps;
  }

  /** @throws InsufficientCapacityError, CreateError. */
  async run(plan: LaunchPlan, signal?: AbortSignal): Promise<LaunchedInstance> {
    const subnets = this.#subnets(plan);
    const request = await this.#request(plan, subnets, signal);
    const scope = await placementOfLaunch(this.#deps.placementGroups, plan, plan.requirements, signal);
    const result = await this.#createFleet(request, plan, subnets, signal);
    const errors = result.Errors ?? [];
    this.#deps.feedback.take(errors, {
      ...plan,
      subnets,
      scope,
      ...(result.FleetId === undefined ? {} : { fleetID: result.FleetId }),
    });
    const fleetInstance = result.Instances?.[0];
    if (!fleetInstance?.InstanceIds?.[0]) throw combinedError(errors);
    return { fleetInstance, subnets, scope };
  }

  #subnets({ nodeClass, instanceTypes, capacityType }: LaunchPlan): ReadonlyMap<string, SubnetForLaunch> {
    try {
      return this.#deps.subnets.zonalSubnetsForLaunch(nodeClass, instanceTypes, capacityType);
    } catch (cause) {
      const { message } = wrappedError('getting subnets', cause);
      throw new CreateError(message, 'SubnetResolutionFailed', 'Error getting subnets', { cause });
    }
  }

  async #request(
    plan: LaunchPlan,
    subnets: ReadonlyMap<string, SubnetForLaunch>,
    signal: AbortSignal | undefined,
  ): Promise<CreateFleetRequest> {
    const { nodeClass, nodeClaim, instanceTypes, capacityType, tags } = plan;
    const { annotations = {} } = nodeClaim.metadata;
    const { context } = nodeClass.spec;
    const configs = await this.#configs(plan, subnets, signal);
    warnOfOnDemandFallback(plan, this.#deps.log);
    const [offering] = instanceTypes.flatMap(({ offerings }) => offerings);
    return fleetRequest({
      capacityType,
      tags,
      configs,
      byPriority: ANNOTATION_PRICE_OVERLAID in annotations,
      ...(capacityType === 'reserved' && offering ? { reservation: reservationKindOf(offering) } : {}),
      // Relaxed minValues are no longer what the context was agreed for.
      ...(context !== undefined && annotations[ANNOTATION_MIN_VALUES_RELAXED] !== 'true' ? { context } : {}),
    });
  }

  async #configs(
    plan: LaunchPlan,
    subnets: ReadonlyMap<string, SubnetForLaunch>,
    signal: AbortSignal | undefined,
  ): Promise<ReturnType<typeof launchTemplateConfigs>> {
    const { nodeClass, nodeClaim, requirements, instanceTypes, capacityType, tags, tenancy } = plan;
    try {
      const templates = await this.#deps.launchTemplates
        .ensureAll(nodeClass, nodeClaim, instanceTypes, capacityType, tags, tenancy, signal)
        .catch((error: unknown) => {
          throw wrappedError('getting launch templates', error);
        });
      const configs = launchTemplateConfigs(templates, subnets, withCapacityType(requirements, capacityType));
      if (configs.length > 0) return configs;
      throw new Error('no capacity offerings are currently available given the constraints');
    } catch (error) {
      throw createError('getting launch template configs', 'Error getting launch template configs', error);
    }
  }

  async #createFleet(
    request: CreateFleetRequest,
    { instanceTypes, capacityType }: LaunchPlan,
    subnets: ReadonlyMap<string, SubnetForLaunch>,
    signal: AbortSignal | undefined,
  ): Promise<CreateFleetResult> {
    let result: CreateFleetResult = {};
    try {
      result = await this.#deps.fleets.createFleet(request, signal);
      return result;
    } catch (error) {
      if (!isLaunchTemplateUnknown(error))
        throw createError('creating fleet request', 'Error creating fleet request', error);
      for (const { LaunchTemplateSpecification: template } of request.LaunchTemplateConfigs ?? []) {
        this.#deps.launchTemplates.invalidate(template?.LaunchTemplateName ?? '');
      }
      throw createError(
        'launch templates not found when creating fleet request',
        'Launch templates not found when creating fleet request',
        error,
      );
    } finally {
      this.#deps.subnets.updateInflightIPs(request, result, instanceTypes, [...subnets.values()], capacityType);
    }
  }
}

/** @param told what the claim's condition says in front of the kind of the error. */
function createError(doing: string, told: string, cause: unknown): CreateError {
  const { reason, message } = reasonMessage(cause);
  return new CreateError(wrappedError(doing, cause).message, reason, `${told}: ${message}`, { cause });
}
