import type { Instance as Ec2Instance, Filter } from '@aws-sdk/client-ec2';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { NodeClaimNotFoundError } from '../../../cloudprovider/errors.ts';
import type { Clock } from '../../../kube/clock.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { Metrics } from '../../../metrics/metrics.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { LABEL_NODE_CLASS, TAG_EKS_CLUSTER_NAME, TAG_NODE_POOL } from '../../apis/labels.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { isAwsNotFound } from '../../aws-api/error-kinds.ts';
import { pages } from '../../aws-api/pages.ts';
import { tagList } from '../../aws-api/tags.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import { CreateFleetBatcher } from '../../batcher/create-fleet.ts';
import { DescribeInstancesBatcher, instancesOf } from '../../batcher/describe-instances.ts';
import { TerminateInstancesBatcher } from '../../batcher/terminate-instances.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import type {
  Instance,
  InstanceProvider,
  LaunchTemplateProvider,
  PlacementGroupProvider,
  SubnetProvider,
  ZonalShiftProvider,
} from '../contracts.ts';
import { capacityTypeFor, tenancyFor } from './capacity-type.ts';
import { FleetFeedback, type FleetFeedbackDeps } from './fleet-feedback.ts';
import { InstanceCache } from './instance-cache.ts';
import { instanceFromEc2 } from './instance-from-ec2.ts';
import { instanceFromFleet } from './instance-from-fleet.ts';
import { isLaunchTemplateUnknown, Launch, type LaunchPlan } from './launch.ts';
import { LaunchCandidates } from './launch-candidates.ts';

export interface InstanceProviderDeps extends Omit<FleetFeedbackDeps, 'subnets'> {
  readonly ec2: Pick<Ec2Api, 'createFleet' | 'describeInstances' | 'terminateInstances' | 'createTags'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly subnets: SubnetProvider;
  readonly launchTemplates: LaunchTemplateProvider;
  readonly placementGroups: PlacementGroupProvider;
  readonly zonalShift: Pick<ZonalShiftProvider, 'isShifted'>;
  readonly clusterName: string;
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  /** Core's feature gate. */
  readonly reservedCapacity: boolean;
}

/** Terminated instances are as good as gone. */
const NOT_TERMINATED: Filter = {
  Name: 'instance-state-name',
  Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'],
};
/** So long EC2's word is not taken for when an instance was launched that was launched from here. */
const FRESH_MS = 300_000;
const SWEEP_MS = 60_000;
/** EC2 allows no longer pages. */
const PAGE_SIZE = 1000;

/** EC2 instances: launched by fleets, found, tagged and terminated (aws-provider.md sections 17 and 19). */
export class Ec2InstanceProvider implements InstanceProvider {
  readonly #deps: InstanceProviderDeps;
  readonly #launch: Launch;
  readonly #describes: DescribeInstancesBatcher;
  readonly #terminations: TerminateInstancesBatcher;
  readonly #cache: InstanceCache;
  /** When instances were launched from here, by this machine's clock, which may differ from EC2's. */
  readonly #launchTimes: TtlCache<number>;
  readonly #candidates: LaunchCandidates;

  constructor(deps: InstanceProviderDeps) {
    this.#deps = deps;
    this.#describes = new DescribeInstancesBatcher(deps);
    this.#terminations = new TerminateInstancesBatcher(deps);
    this.#cache = new InstanceCache(deps.zonalShift);
    this.#launchTimes = new TtlCache(deps.clock, { ttlMs: FRESH_MS, sweepMs: SWEEP_MS });
    this.#candidates = new LaunchCandidates(deps);
    this.#launch = new Launch({ ...deps, fleets: new CreateFleetBatcher(deps), feedback: new FleetFeedback(deps) });
  }

  async create(
    nodeClass: EC2NodeClass,
    nodeClaim: NodeClaim,
    tags: Readonly<Record<string, string>>,
    instanceTypes: readonly InstanceType[],
    signal?: AbortSignal,
  ): Promise<Instance> {
    const candidates = this.#candidates.of(instanceTypes, nodeClaim);
    const { requirements } = candidates;
    const plan: LaunchPlan = {
      ...candidates,
      nodeClass,
      nodeClaim,
      tags,
      capacityType: capacityTypeFor(requirements, candidates.instanceTypes),
      tenancy: tenancyFor(requirements),
    };
    const launched = await this.#launch.run(plan, signal).catch((error: unknown) => {
      if (!isLaunchTemplateUnknown(error)) throw error;
      // Somebody has deleted a template that was thought to be there: it is made anew.
      return this.#launch.run(plan, signal);
    });
    const instance = instanceFromFleet(launched, plan, this.#deps.clock.now());
    this.#launchTimes.set(instance.id, instance.launchTime);
    return instance;
  }

  async get(
    id: string,
    { skipCache = false, signal }: { readonly skipCache?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<Instance> {
    const known = this.#cache.get(id);
    if (known && (!skipCache || this.#cache.isShifted(known))) return known;
    const [found] = await this.#describe(id, signal);
    if (!found) {
      this.#cache.delete(id);
      throw wrappedError('getting instances from output', new NodeClaimNotFoundError('instance not found'));
    }
    this.#cache.set(found);
    return found;
  }

  async list(signal?: AbortSignal): Promise<readonly Instance[]> {
    const { ec2, clusterName } = this.#deps;
    const filters: Filter[] = [
      { Name: 'tag-key', Values: [TAG_NODE_POOL] },
      { Name: 'tag-key', Values: [LABEL_NODE_CLASS] },
      { Name: `tag:${TAG_EKS_CLUSTER_NAME}`, Values: [clusterName] },
      NOT_TERMINATED,
    ];
    const instances: Instance[] = [];
    try {
      const call: Ec2Api['describeInstances'] = (input) => ec2.describeInstances(input, signal ? { signal } : {});
      for await (const page of pages(call, { Filters: filters, MaxResults: PAGE_SIZE })) {
        for (const each of instancesOf(page)) instances.push(this.#instanceOf(each));
      }
    } catch (error) {
      throw wrappedError('describing ec2 instances', error);
    }
    this.#cache.replace(instances);
    return instances;
  }

  async delete(id: string, signal?: AbortSignal): Promise<void> {
    const instance = await this.get(id, { skipCache: true, ...(signal ? { signal } : {}) });
    if (this.#cache.isShifted(instance)) throw shifted(instance, 'skipping termination');
    if (instance.state === 'shutting-down') return;
    try {
      await this.#terminations.terminateInstance(id, signal);
    } catch (error) {
      this.#deps.metrics.count('cloudprovider_instance_termination_failures_total', {
        zone: instance.zone,
        zone_id: instance.zoneID,
      });
      throw error;
    }
  }

  async createTags(id: string, tags: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<void> {
    const known = this.#cache.get(id);
    if (known && this.#cache.isShifted(known)) throw shifted(known, 'skipping tag creation');
    try {
      await this.#deps.ec2.createTags({ Resources: [id], Tags: tagList(tags) }, signal ? { signal } : {});
    } catch (error) {
      const told = wrappedError('tagging instance', error);
      throw isAwsNotFound(error) ? new NodeClaimNotFoundError(told.message, { cause: told }) : told;
    }
  }

  /** No instance is older than this process knows, lest it be taken for one that nobody wants. */
  #instanceOf(described: Ec2Instance): Instance {
    const instance = instanceFromEc2(described, this.#deps.reservedCapacity);
    return { ...instance, launchTime: Math.max(instance.launchTime, this.#launchTimes.get(instance.id) ?? 0) };
  }

  async #describe(id: string, signal: AbortSignal | undefined): Promise<readonly Instance[]> {
    try {
      const found = await this.#describes.describeInstance(id, [NOT_TERMINATED], signal);
      return found.map((each) => this.#instanceOf(each));
    } catch (error) {
      if (!isAwsNotFound(error)) throw wrappedError('failed to describe ec2 instances', error);
      this.#cache.delete(id);
      throw new NodeClaimNotFoundError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }
}

function shifted({ id, zone, zoneID }: Instance, what: string): Error {
  return new Error(`instance ${id} is in zonally shifted availability zone ${zone} (${zoneID}), ${what}`);
}
