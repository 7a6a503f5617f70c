import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodeLifecycleHook, NodeLifecycleHookResult } from '../cloudprovider/types.ts';
import { LABEL_PLACEMENT_GROUP_ID, LABEL_PLACEMENT_GROUP_PARTITION } from './apis/labels.ts';
import { instanceIdOf } from './apis/provider-id.ts';
import { wrappedError } from './aws-api/wrapped-error.ts';
import type { InstanceProvider } from './providers/contracts.ts';

const NOTHING: NodeLifecycleHookResult = {};

/**
 * Holds nodes of partition placement groups back until EC2 tells the partition that it has chosen, so that pods which are
 * spread over partitions never see a node without one (aws-provider.md section 15).
 */
export class PlacementGroupRegistrationHook implements NodeLifecycleHook {
  readonly name = 'PlacementGroupRegistrationHook';
  readonly #instances: Pick<InstanceProvider, 'get'>;

  constructor({ instances }: { readonly instances: Pick<InstanceProvider, 'get'> }) {
    this.#instances = instances;
  }

  /** The label is there and empty while the partition is EC2's choice. */
  async registered({ metadata, status }: NodeClaim, signal?: AbortSignal): Promise<NodeLifecycleHookResult> {
    const labels = metadata.labels ?? {};
    if (labels[LABEL_PLACEMENT_GROUP_ID] === undefined || labels[LABEL_PLACEMENT_GROUP_PARTITION] !== '')
      return NOTHING;
    if (!status?.providerID) return { requeue: true };
    const options = { skipCache: true, ...(signal ? { signal } : {}) };
    const { partitionNumber } = await this.#instances
      .get(instanceIdOf(status.providerID), options)
      .catch((error: unknown) => {
        throw wrappedError('describing instance for partition number', error);
      });
    if (partitionNumber === undefined) return { requeue: true };
    return { labels: { [LABEL_PLACEMENT_GROUP_PARTITION]: String(partitionNumber) } };
  }
}
