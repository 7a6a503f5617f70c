import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import {
  CreateError,
  causeOf,
  InsufficientCapacityError,
  NodeClaimNotFoundError,
  NodeClassNotReadyError,
} from '../cloudprovider/errors.ts';
import type { CloudProvider, NodeLifecycleHook, RepairPolicy } from '../cloudprovider/types.ts';
import type { Recorder } from '../events/recorder.ts';
import type { Clock } from '../kube/clock.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import type { EC2NodeClass } from './apis/ec2-node-class.ts';
import { HASH_VERSION } from './apis/hash/ec2-node-class-hash.ts';
import { instanceTags, RestrictedTagsError } from './apis/instance-tags.ts';
import {
  ANNOTATION_INSTANCE_PROFILE,
  ANNOTATION_NODE_CLASS_HASH,
  ANNOTATION_NODE_CLASS_HASH_VERSION,
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_NODE_CLASS,
} from './apis/labels.ts';
import { instanceIdOf } from './apis/provider-id.ts';
import { wrappedError } from './aws-api/wrapped-error.ts';
import { NodeClassDrift } from './drift/node-class-drift.ts';
import { claimFailedResolvingNodeClass, poolFailedResolvingNodeClass } from './events.ts';
import { AWS_FACTS, AWS_RULES } from './facts.ts';
import { instanceToClaim } from './instance-to-claim.ts';
import { requireReady } from './node-class-readiness.ts';
import type {
  CapacityReservationProvider,
  Instance,
  InstanceProvider,
  InstanceTypeProvider,
  NodeClassReader,
  PlacementGroupProvider,
} from './providers/contracts.ts';
import { placementGroupOf } from './providers/placement-group/placement-group-of.ts';
import { REPAIR_POLICIES } from './repair-policies.ts';
import { NodeClassMissingError, resolveNodeClass } from './resolve-node-class.ts';

export interface AwsCloudProviderDeps {
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly clusterName: string;
  readonly nodeClasses: NodeClassReader;
  /** The pool of that name. */
  readonly nodePool: (name: string) => NodePool | undefined;
  /** The hash of the class's own fields. */
  readonly hashOf: (nodeClass: EC2NodeClass) => string;
  readonly instances: InstanceProvider;
  readonly instanceTypes: Pick<InstanceTypeProvider, 'list' | 'get'>;
  readonly capacityReservations: Pick<CapacityReservationProvider, 'markLaunched' | 'markTerminated'>;
  /** Takes up what an earlier leader has left behind. */
  readonly takeOver: (signal: AbortSignal) => Promise<void>;
  readonly placementGroups: PlacementGroupProvider;
  readonly registrationHooks?: readonly NodeLifecycleHook[];
}

/** EC2 as core sees it (aws-provider.md section 17). */
export class AwsCloudProvider implements CloudProvider {
  readonly name = AWS_FACTS.name;
  readonly supportedNodeClasses = AWS_FACTS.supportedNodeClasses;
  readonly wellKnownLabels = AWS_RULES.wellKnownLabels;
  readonly restrictedLabelDomains = AWS_RULES.restrictedLabelDomains;
  readonly reservedCapacityLabels = AWS_RULES.reservedCapacityLabels;
  readonly reservationIDLabel = AWS_RULES.reservationIDLabel;
  readonly wellKnownValues = AWS_RULES.wellKnownValues;
  readonly wellKnownResources = AWS_RULES.wellKnownResources;
  readonly normalizedLabels = AWS_RULES.normalizedLabels;
  readonly registrationHooks: readonly NodeLifecycleHook[];
  readonly #deps: AwsCloudProviderDeps;
  readonly #drift: NodeClassDrift;

  constructor(deps: AwsCloudProviderDeps) {
    this.#deps = deps;
    this.registrationHooks = deps.registrationHooks ?? [];
    this.#drift = new NodeClassDrift({
      instances: deps.instances,
      instanceTypes: (nodePool, signal) => this.getInstanceTypes(nodePool, signal),
      placementGroup: (nodeClass, signal) => placementGroupOf(this.#deps.placementGroups, nodeClass, signal),
    });
  }

  /** As the leader and not before: launch templates of an earlier process, for example, are cleaned up by one only. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#deps.takeOver(signal);
  }

  async create(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim> {
    const nodeClass = await this.#classForLaunch(nodeClaim, signal);
    return await this.#launch(nodeClass, nodeClaim, await this.#typesForLaunch(nodeClass), signal);
  }

  async createAmong(nodeClaim: NodeClaim, types: readonly InstanceType[], signal?: AbortSignal): Promise<NodeClaim> {
    return await this.#launch(await this.#classForLaunch(nodeClaim, signal), nodeClaim, types, signal);
  }

  async delete(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<void> {
    const id = idOf(nodeClaim.status?.providerID);
    try {
      await this.#deps.instances.delete(id, signal);
    } catch (error) {
      const reservation = nodeClaim.metadata.labels?.[LABEL_CAPACITY_RESERVATION_ID];
      if (reservation && causeOf(error, NodeClaimNotFoundError)) {
        this.#deps.capacityReservations.markTerminated(reservation);
      }
      throw error;
    }
  }

  async get(providerID: string, signal?: AbortSignal): Promise<NodeClaim> {
    const id = idOf(providerID);
    const instance = await this.#deps.instances.get(id, signal ? { signal } : {}).catch((error: unknown) => {
      throw wrappedError('getting instance', error);
    });
    return await this.#claimOf(instance, signal);
  }

  async list(signal?: AbortSignal): Promise<readonly NodeClaim[]> {
    const instances = await this.#deps.instances.list(signal).catch((error: unknown) => {
      throw wrappedError('listing instances', error);
    });
    const claims: NodeClaim[] = [];
    for (const instance of instances) claims.push(await this.#claimOf(instance, signal));
    return claims;
  }

  async getInstanceTypes(nodePool: NodePool, signal?: AbortSignal): Promise<readonly InstanceType[]> {
    const nodeClass = await this.#classOfPool(nodePool, signal);
    return nodeClass ? await this.#deps.instanceTypes.list(nodeClass) : [];
  }

  async isDrifted(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<string> {
    const nodePool = this.#deps.nodePool(nodeClaim.metadata.labels?.[LABEL_NODEPOOL] ?? '');
    const nodeClass = nodePool && (await this.#classOfPool(nodePool, signal));
    return nodeClass ? await this.#drift.of(nodeClaim, nodePool, nodeClass, signal) : '';
  }

  repairPolicies(): readonly RepairPolicy[] {
    return REPAIR_POLICIES;
  }

  /** Without its class there is nothing that could be bought for the claim. */
  async #classForLaunch(nodeClaim: NodeClaim, signal: AbortSignal | undefined): Promise<EC2NodeClass> {
    const { nodeClasses, recorder } = this.#deps;
    try {
      const nodeClass = await resolveNodeClass(nodeClasses, nodeClaim.spec.nodeClassRef.name, signal);
      requireReady(nodeClass);
      return nodeClass;
    } catch (error) {
      if (!(error instanceof NodeClassMissingError)) throw error;
      recorder.publish(claimFailedResolvingNodeClass(nodeClaim));
      throw new InsufficientCapacityError(`resolving nodeclass, ${error.message}`, { cause: error });
    }
  }

  async #typesForLaunch(nodeClass: EC2NodeClass): Promise<readonly InstanceType[]> {
    try {
      return await this.#deps.instanceTypes.list(nodeClass);
    } catch (cause) {
      const { message } = wrappedError('resolving instance types', cause);
      throw new CreateError(message, 'InstanceTypeResolutionFailed', 'Error resolving instance types', { cause });
    }
  }

  async #launch(
    nodeClass: EC2NodeClass,
    nodeClaim: NodeClaim,
    types: readonly InstanceType[],
    signal: AbortSignal | undefined,
  ): Promise<NodeClaim> {
    const { instances, capacityReservations, hashOf, clock } = this.#deps;
    const tags = this.#tags(nodeClass, nodeClaim);
    const instance = await instances.create(nodeClass, nodeClaim, tags, types, signal).catch((error: unknown) => {
      throw wrappedError('creating instance', error);
    });
    if (instance.capacityReservation) capacityReservations.markLaunched(instance.capacityReservation.id);
    const instanceType = types.find(({ name }) => name === instance.type);
    const placementGroup = await placementGroupOf(this.#deps.placementGroups, nodeClass, signal);
    const claim = instanceToClaim(instance, { instanceType, nodeClass, placementGroup }, clock.now());
    return {
      ...claim,
      metadata: {
        ...claim.metadata,
        annotations: {
          [ANNOTATION_NODE_CLASS_HASH]: hashOf(nodeClass),
          [ANNOTATION_NODE_CLASS_HASH_VERSION]: HASH_VERSION,
          [ANNOTATION_INSTANCE_PROFILE]: nodeClass.status?.instanceProfile ?? '',
        },
      },
    };
  }

  #tags(nodeClass: EC2NodeClass, { metadata }: NodeClaim): Readonly<Record<string, string>> {
    try {
      return instanceTags(nodeClass, metadata.labels?.[LABEL_NODEPOOL] ?? '', this.#deps.clusterName);
    } catch (error) {
      if (error instanceof RestrictedTagsError) throw new NodeClassNotReadyError(error.message, { cause: error });
      throw error;
    }
  }

  /** Undefined, and told, when the pool's class is missing. */
  async #classOfPool(nodePool: NodePool, signal: AbortSignal | undefined): Promise<EC2NodeClass | undefined> {
    const { nodeClasses, recorder } = this.#deps;
    try {
      return await resolveNodeClass(nodeClasses, nodePool.spec.template.spec.nodeClassRef.name, signal);
    } catch (error) {
      if (!(error instanceof NodeClassMissingError)) throw wrappedError('resolving nodeclass', error);
      recorder.publish(poolFailedResolvingNodeClass(nodePool));
      return undefined;
    }
  }

  /**
   * An instance that EC2 tells of. Its pool and its class may be gone meanwhile, or can't be resolved now: that is no reason
   * not to tell of it, as it could be nobody's.
   */
  async #claimOf(instance: Instance, signal: AbortSignal | undefined): Promise<NodeClaim> {
    const instanceType = await this.#typeOf(instance, signal).catch(() => undefined);
    const nodeClass = await this.#classOf(instance, signal).catch(() => undefined);
    const placementGroup = nodeClass && (await placementGroupOf(this.#deps.placementGroups, nodeClass, signal));
    const surroundings = { instanceType, nodeClass, placementGroup };
    return instanceToClaim(instance, surroundings, this.#deps.clock.now());
  }

  async #classOf({ tags }: Instance, signal: AbortSignal | undefined): Promise<EC2NodeClass | undefined> {
    const name = tags[LABEL_NODE_CLASS];
    const found = name === undefined ? undefined : await this.#deps.nodeClasses.get(name, signal);
    return found?.metadata.deletionTimestamp ? undefined : found;
  }

  async #typeOf({ tags, type }: Instance, signal: AbortSignal | undefined): Promise<InstanceType | undefined> {
    const nodePool = this.#deps.nodePool(tags[LABEL_NODEPOOL] ?? '');
    const nodeClass = nodePool && (await this.#classOfPool(nodePool, signal));
    return nodeClass && (await this.#deps.instanceTypes.get(nodeClass, type));
  }
}

function idOf(providerID = ''): string {
  try {
    return instanceIdOf(providerID);
  } catch (error) {
    throw wrappedError('getting instance ID', error);
  }
}
