import type { NodeClaim } from '../../../apis/node-claim.ts';
import { causeOf, NodeClaimNotFoundError } from '../../../cloudprovider/errors.ts';
import type { ControllerContext } from '../../../controllers/context.ts';
import { isManagedClaim } from '../../../controllers/managed.ts';
import { type ControllerSpec, watch } from '../../../kube/controller.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import { NodeClaims } from '../../../kube/resources.ts';
import {
  ANNOTATION_CLUSTER_NAME_TAGGED,
  ANNOTATION_INSTANCE_TAGGED,
  TAG_EKS_CLUSTER_NAME,
  TAG_NAME,
  TAG_NODE_CLAIM,
} from '../../apis/labels.ts';
import { instanceIdOf } from '../../apis/provider-id.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { AwsOptions } from '../../aws-options.ts';
import type { InstanceProvider } from '../../providers/contracts.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'cloud' | 'clock' | 'log'> & {
  readonly instances: Pick<InstanceProvider, 'get' | 'createTags'>;
  readonly options: Pick<AwsOptions, 'clusterName'>;
};

const PAUSE_MS = 1000;

/**
 * Writes the names of node, claim and cluster on instances once the node is known (aws-provider.md section 19). One at a
 * time, with a second between two: EC2 counts these calls together with those that launch.
 */
export class TaggingController implements ControllerSpec {
  readonly name = 'nodeclaim.tagging';
  readonly watches;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.watches = [
      watch(NodeClaims, ({ type, object }) =>
        type !== 'Deleted' && isManagedClaim(deps.cloud, object) && isTaggable(object) ? [object.metadata.name] : [],
      ),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<void> {
    const { nodeClaims, log } = this.#deps;
    const claim = nodeClaims.get(key);
    if (!claim || !isTaggable(claim)) return;
    const id = instanceOf(claim);
    if (id instanceof Error) {
      // Nothing to try again before the provider id is another.
      log.error('failed parsing instance id', id, fieldsOf(claim));
      return;
    }
    try {
      await this.#tag(claim, id, signal);
    } catch (error) {
      if (causeOf(error, NodeClaimNotFoundError)) return;
      throw wrappedError('tagging nodeclaim', error);
    }
    const done = { [ANNOTATION_INSTANCE_TAGGED]: 'true', [ANNOTATION_CLUSTER_NAME_TAGGED]: 'true' };
    const metadata = { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...done } };
    await nodeClaims.patch(claim, { ...claim, metadata }, {}, signal).catch(ignoreNotFound);
  }

  /** What the instance has already stays as it is. */
  async #tag(claim: NodeClaim, id: string, signal: AbortSignal): Promise<void> {
    const { instances, options, clock } = this.#deps;
    const { tags } = await instances.get(id, { skipCache: true, signal });
    const wanted = {
      [TAG_NAME]: claim.status?.nodeName ?? '',
      [TAG_NODE_CLAIM]: claim.metadata.name,
      [TAG_EKS_CLUSTER_NAME]: options.clusterName,
    };
    const missing = Object.entries(wanted).filter(([name]) => !(name in tags));
    if (missing.length === 0) return;
    try {
      await instances.createTags(id, Object.fromEntries(missing), signal);
    } finally {
      await clock.sleep(PAUSE_MS, signal);
    }
  }
}

function isTaggable({ metadata: { annotations = {}, deletionTimestamp }, status }: NodeClaim): boolean {
  const isTagged =
    annotations[ANNOTATION_INSTANCE_TAGGED] === 'true' && annotations[ANNOTATION_CLUSTER_NAME_TAGGED] === 'true';
  return !isTagged && Boolean(status?.nodeName) && !deletionTimestamp;
}

function instanceOf({ status }: NodeClaim): string | Error {
  try {
    return instanceIdOf(status?.providerID ?? '');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function fieldsOf({ status }: NodeClaim) {
  return { Node: { name: status?.nodeName }, 'provider-id': status?.providerID };
}
