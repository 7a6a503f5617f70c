import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { InstanceType } from '../../scheduling/instance-type.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { LABEL_PLACEMENT_GROUP_ID } from '../apis/labels.ts';
import { instanceIdOf } from '../apis/provider-id.ts';
import { wrappedError } from '../aws-api/wrapped-error.ts';
import type { Instance, InstanceProvider, PlacementGroup } from '../providers/contracts.ts';
import { isAmiDrifted } from './ami-drift.ts';
import { areSecurityGroupsDrifted, isSubnetDrifted } from './network-drift.ts';
import { isReservationDrifted } from './reservation-drift.ts';
import { isStaticallyDrifted } from './static-drift.ts';

export interface NodeClassDriftDeps {
  readonly instances: Pick<InstanceProvider, 'get'>;
  readonly instanceTypes: (nodePool: NodePool, signal?: AbortSignal) => Promise<readonly InstanceType[]>;
  /** From what is known if EC2 does not answer. */
  readonly placementGroup: (nodeClass: EC2NodeClass, signal?: AbortSignal) => Promise<PlacementGroup | undefined>;
}

/** In which way a node is no longer what its class asks for (aws-provider.md section 8): the first that is found. */
export class NodeClassDrift {
  readonly #deps: NodeClassDriftDeps;

  constructor(deps: NodeClassDriftDeps) {
    this.#deps = deps;
  }

  /** @returns the reason, or an empty text. */
  async of(claim: NodeClaim, nodePool: NodePool, nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<string> {
    if (isStaticallyDrifted(claim, nodeClass)) return 'NodeClassDrift';
    const types = async () => {
      const all = await doing('getting instanceTypes', () => this.#deps.instanceTypes(nodePool, signal));
      return isAmiDrifted(claim, nodeClass, all);
    };
    if (await doing('calculating ami drift', types)) return 'AMIDrift';
    const instance = await this.#instance(claim, false, signal);
    // All four are asked before one is told: what can't be told is an error, whatever comes before it.
    const reasons: readonly (readonly [string, boolean])[] = [
      [
        'SecurityGroupDrift',
        await doing('calculating securitygroup drift', async () => areSecurityGroupsDrifted(instance, nodeClass)),
      ],
      ['SubnetDrift', await doing('calculating subnet drift', async () => isSubnetDrifted(instance, nodeClass))],
      [
        'CapacityReservationDrift',
        await doing('calculating capacity reservation drift', () =>
          isReservationDrifted(instance, nodeClass, () => this.#instance(claim, true, signal)),
        ),
      ],
      ['PlacementGroupDrift', await this.#isPlacementGroupDrifted(claim, nodeClass, signal)],
    ];
    return reasons.find(([, isDrifted]) => isDrifted)?.[0] ?? '';
  }

  async #isPlacementGroupDrifted(
    { metadata }: NodeClaim,
    nodeClass: EC2NodeClass,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const group = await this.#deps.placementGroup(nodeClass, signal);
    return (metadata.labels?.[LABEL_PLACEMENT_GROUP_ID] ?? '') !== (group?.id ?? '');
  }

  async #instance({ status }: NodeClaim, skipCache: boolean, signal: AbortSignal | undefined): Promise<Instance> {
    const id = instanceIdOf(status?.providerID ?? '');
    return await doing('getting instance', () =>
      this.#deps.instances.get(id, { skipCache, ...(signal ? { signal } : {}) }),
    );
  }
}

async function doing<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw wrappedError(what, error);
  }
}
