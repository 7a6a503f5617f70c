import {
  CAPACITY_TYPE_ON_DEMAND,
  CAPACITY_TYPE_RESERVED,
  LABEL_CAPACITY_TYPE,
  LABEL_REGISTERED,
} from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { combinedError } from '../../../controllers/combined-error.ts';
import type { ControllerContext } from '../../../controllers/context.ts';
import { BY_PROVIDER_ID } from '../../../controllers/indexes.ts';
import { type ControllerSpec, type ReconcileResult, reads } from '../../../kube/controller.ts';
import { ignoreNotFound, isConflict } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/objects.ts';
import { NodeClaims, Nodes } from '../../../kube/resources.ts';
import {
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
  LABEL_CAPACITY_RESERVATION_TYPE,
} from '../../apis/labels.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'nodes' | 'cloud' | 'log'>;

const PERIOD_MS = 60_000;
const RESERVATION_LABELS: readonly string[] = [
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_CAPACITY_RESERVATION_TYPE,
  LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
];

/**
 * Calls claims and nodes on-demand whose reservation has ended: EC2 lets their instances run on, at the on-demand price
 * (aws-provider.md section 14). The other way round nothing changes.
 */
export class CapacityTypeController implements ControllerSpec {
  readonly name = 'capacityreservation.capacitytype';
  readonly watches = [reads(NodeClaims), reads(Nodes)];
  readonly initialKeys = ['all'];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(_key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { cloud, nodeClaims, log } = this.#deps;
    const instances = await cloud.list(signal).catch((error: unknown) => {
      throw wrappedError('listing instances', error);
    });
    const onDemand = new Set(
      instances.filter((instance) => capacityType(instance) === CAPACITY_TYPE_ON_DEMAND).map(providerID),
    );
    const claims = nodeClaims.list().filter((claim) => providerID(claim) && onDemand.has(providerID(claim)));
    const updated: string[] = [];
    const errors: unknown[] = [];
    for (const claim of claims) {
      try {
        if (await this.#sync(claim, signal)) updated.push(claim.metadata.name);
      } catch (error) {
        errors.push(error);
      }
    }
    if (updated.length > 0) {
      log.debug('updated capacity type for nodeclaims', { NodeClaims: updated.map((name) => ({ name })) });
    }
    if (errors.length > 0) {
      if (errors.every(isConflict)) return { requeue: true };
      throw combinedError(errors);
    }
    return { requeueAfter: PERIOD_MS };
  }

  /** Those that are being deleted stay as they are; a node that has not registered has yet to get its labels. */
  async #sync(claim: NodeClaim, signal: AbortSignal): Promise<boolean> {
    const { nodeClaims, nodes } = this.#deps;
    if (claim.metadata.deletionTimestamp) return false;
    let isUpdated = false;
    if (capacityType(claim) === CAPACITY_TYPE_RESERVED) {
      await nodeClaims.patch(claim, calledOnDemand(claim), {}, signal).catch(ignoreNotFound);
      isUpdated = true;
    }
    for (const node of nodes.byIndex(BY_PROVIDER_ID, providerID(claim))) {
      const { deletionTimestamp, labels } = node.metadata;
      const isConcerned = !deletionTimestamp && labels?.[LABEL_REGISTERED] === 'true';
      if (!isConcerned || capacityType(node) !== CAPACITY_TYPE_RESERVED) continue;
      await nodes.patch(node, calledOnDemand(node), {}, signal).catch(ignoreNotFound);
      isUpdated = true;
    }
    return isUpdated;
  }
}

const providerID = ({ status }: NodeClaim): string => status?.providerID ?? '';
const capacityType = ({ metadata }: KubeObject): string | undefined => metadata.labels?.[LABEL_CAPACITY_TYPE];

function calledOnDemand<T extends KubeObject>(object: T): T {
  const kept = Object.entries(object.metadata.labels ?? {}).filter(([label]) => !RESERVATION_LABELS.includes(label));
  const labels = { ...Object.fromEntries(kept), [LABEL_CAPACITY_TYPE]: CAPACITY_TYPE_ON_DEMAND };
  return { ...object, metadata: { ...object.metadata, labels } };
}
