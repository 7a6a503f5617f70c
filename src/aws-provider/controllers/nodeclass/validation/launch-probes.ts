import { CAPACITY_TYPE_ON_DEMAND, LABEL_NODEPOOL } from '../../../../apis/labels.ts';
import type { NodeClaim } from '../../../../apis/node-claim.ts';
import type { ControllerContext } from '../../../../controllers/context.ts';
import { isManagedPool } from '../../../../controllers/managed.ts';
import { AWS_GROUP, type EC2NodeClass, Ec2NodeClasses } from '../../../apis/ec2-node-class.ts';
import type { Ec2Api } from '../../../aws-api/apis.ts';
import {
  isDryRunSuccess,
  isInstanceProfileUnknown,
  isRateLimited,
  isServerError,
  isUnauthorizedOperation,
  isUserDataTooLarge,
} from '../../../aws-api/error-kinds.ts';
import { denialText, deniedCall } from '../../../aws-api/permissions.ts';
import { reasonMessage } from '../../../aws-api/reason-message.ts';
import { wrappedError } from '../../../aws-api/wrapped-error.ts';
import type { InstanceTypeProvider, LaunchTemplate, LaunchTemplateProvider } from '../../../providers/contracts.ts';
import { probeInstanceTypes, probeTenancy } from './probe-instance-types.ts';
import { fleetProbe, instanceProbe } from './probe-requests.ts';

type Tags = Readonly<Record<string, string>>;

export interface LaunchProbesDeps extends Pick<ControllerContext, 'nodePools' | 'cloud' | 'log'> {
  readonly ec2: Pick<Ec2Api, 'createFleet' | 'runInstances'>;
  readonly instanceTypes: Pick<InstanceTypeProvider, 'list' | 'filterForNodeClass'>;
  readonly launchTemplates: Pick<LaunchTemplateProvider, 'ensureAll'>;
}

/** What the probes found. Anything unexpected is thrown. */
export type ProbeResult =
  | { readonly kind: 'allowed' }
  /** AWS could not say it now. */
  | { readonly kind: 'again' }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }
  /** The instance profile that the class names is not there, or not yet. */
  | { readonly kind: 'no-profile' };

interface Action {
  readonly action: string;
  readonly reason: string;
}

const CREATE_LAUNCH_TEMPLATE: Action = {
  action: 'ec2:CreateLaunchTemplate',
  reason: 'CreateLaunchTemplateAuthCheckFailed',
};
const CREATE_FLEET: Action = { action: 'ec2:CreateFleet', reason: 'CreateFleetAuthCheckFailed' };
const RUN_INSTANCES: Action = { action: 'ec2:RunInstances', reason: 'RunInstancesAuthCheckFailed' };

const TOO_LARGE = 'ec2:CreateLaunchTemplate rejected the rendered user data as too large';
const ALLOWED: ProbeResult = { kind: 'allowed' };
const AGAIN: ProbeResult = { kind: 'again' };

/** Asks AWS, without launching anything, whether nodes of a class could be launched (aws-provider.md section 7). */
export class LaunchProbes {
  readonly #deps: LaunchProbesDeps;

  constructor(deps: LaunchProbesDeps) {
    this.#deps = deps;
  }

  async ask(nodeClass: EC2NodeClass, tags: Tags, signal: AbortSignal): Promise<ProbeResult> {
    const template = await this.#launchTemplate(nodeClass, tags, signal);
    if ('kind' in template) return template;
    const fleet = await this.#fleet(nodeClass, template, tags, signal);
    return fleet.kind === 'allowed' ? await this.#instance(nodeClass, template, tags, signal) : fleet;
  }

  /** A launch template can't be tried: it is made, and goes by itself when nobody uses it. */
  async #launchTemplate(
    nodeClass: EC2NodeClass,
    tags: Tags,
    signal: AbortSignal,
  ): Promise<LaunchTemplate | ProbeResult> {
    const { instanceTypes, launchTemplates, log } = this.#deps;
    const nodePools = this.#nodePoolsOf(nodeClass);
    const possible = instanceTypes.filterForNodeClass(await instanceTypes.list(nodeClass), nodeClass);
    const types = probeInstanceTypes(possible, nodeClass, nodePools).slice(0, 1);
    if (types.length === 0) throw new Error('no instance type fits the AMIs of the class');
    const claim = claimOf(nodeClass);
    const tenancy = probeTenancy(nodePools);
    try {
      const capacityType = CAPACITY_TYPE_ON_DEMAND;
      const made = await launchTemplates.ensureAll(nodeClass, claim, types, capacityType, tags, tenancy, signal);
      if (made[0]) return made[0];
    } catch (error) {
      if (!isUserDataTooLarge(error)) return this.#refusal(CREATE_LAUNCH_TEMPLATE, error);
      log.error('ec2:CreateLaunchTemplate rejected the rendered user data as exceeding the size limit', error);
      const message = `${TOO_LARGE}: ${reasonMessage(error).message}`;
      return { kind: 'refused', reason: 'UserDataSizeLimitExceeded', message };
    }
    throw new Error('no compatible launch templates created');
  }

  async #fleet(nodeClass: EC2NodeClass, template: LaunchTemplate, tags: Tags, signal: AbortSignal) {
    try {
      await this.#deps.ec2.createFleet(fleetProbe(nodeClass, template, tags), { once: true, signal });
      return ALLOWED;
    } catch (error) {
      return isDryRunSuccess(error) ? ALLOWED : this.#refusal(CREATE_FLEET, error);
    }
  }

  /** One subnet that can be launched in is enough; if none can, the first one's error is told. */
  async #instance(nodeClass: EC2NodeClass, template: LaunchTemplate, tags: Tags, signal: AbortSignal) {
    const errors: unknown[] = [];
    for (const { id } of nodeClass.status?.subnets ?? []) {
      try {
        await this.#deps.ec2.runInstances(instanceProbe(nodeClass, template, tags, id), { once: true, signal });
        return ALLOWED;
      } catch (error) {
        if (isDryRunSuccess(error)) return ALLOWED;
        errors.push(error);
      }
    }
    const [first] = errors;
    if (!isInstanceProfileUnknown(first)) return this.#refusal(RUN_INSTANCES, first);
    // EC2 learns of new profiles with delay; only one that we did not make may be missing for good.
    return nodeClass.spec.instanceProfile === undefined ? AGAIN : { kind: 'no-profile' as const };
  }

  /** @throws what is neither a refusal nor trouble that passes. */
  #refusal({ action, reason }: Action, error: unknown): ProbeResult {
    if (isRateLimited(error) || isServerError(error)) return AGAIN;
    if (!isUnauthorizedOperation(error)) throw wrappedError(`validating ${action} authorization`, error);
    const denied = deniedCall(error, action);
    const details = denied ? `; ${denialText(denied)}` : '';
    this.#deps.log.error(`unauthorized to call ${action}`, error);
    const message = `Controller isn't authorized to call ${action}: ${reasonMessage(error).message}${details}`;
    return { kind: 'refused', reason, message };
  }

  #nodePoolsOf({ metadata }: EC2NodeClass) {
    const { nodePools, cloud } = this.#deps;
    return nodePools.list().filter((pool) => {
      const { group, kind, name } = pool.spec.template.spec.nodeClassRef;
      return (
        isManagedPool(cloud, pool) && group === AWS_GROUP && kind === Ec2NodeClasses.kind && name === metadata.name
      );
    });
  }
}

/** A claim that stands for all that may be launched for the class. */
function claimOf({ metadata }: EC2NodeClass): NodeClaim {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: '', labels: { [LABEL_NODEPOOL]: '' } },
    spec: { nodeClassRef: { group: AWS_GROUP, kind: Ec2NodeClasses.kind, name: metadata.name }, requirements: [] },
  };
}
