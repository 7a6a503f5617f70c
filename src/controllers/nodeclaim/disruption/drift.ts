import { DRIFTED, LAUNCHED } from '../../../apis/condition-types.ts';
import type { ConditionSet } from '../../../apis/conditions.ts';
import {
  CAPACITY_TYPE_ON_DEMAND,
  CAPACITY_TYPE_RESERVED,
  LABEL_CAPACITY_TYPE,
  LABEL_INSTANCE_TYPE,
  WELL_KNOWN_LABELS,
} from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import { causeOf, NodeClaimNotFoundError } from '../../../cloudprovider/errors.ts';
import type { ReconcileResult } from '../../../kube/controller.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { areRequirementsDrifted, isHashDrifted } from '../../../scheduling/pool-drift.ts';
import { Requirement } from '../../../scheduling/requirement.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import type { ControllerContext } from '../../context.ts';

type Deps = Pick<ControllerContext, 'cloud' | 'clock'>;

const PERIOD_MS = 300_000;
/** Types come and go for a moment; a young claim's type was there just now. */
const TYPE_CHECK_AGE_MS = 3_600_000;
const TYPE_CHECK_PERIOD_MS = 1_800_000;

/** Finds claims that are no longer what their pool asks for (karpenter-core.md 5.13.1). */
export class Drift {
  readonly #deps: Deps;
  /** When a claim's type was last found, by uid. */
  readonly #typeFound = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async update(
    nodePool: NodePool,
    claim: NodeClaim,
    conditions: ConditionSet,
    signal: AbortSignal,
  ): Promise<ReconcileResult | undefined> {
    if (!conditions.isTrue(LAUNCHED)) {
      conditions.clear(DRIFTED);
      return undefined;
    }
    let reason: string;
    try {
      reason = await this.#reason(nodePool, claim, signal);
    } catch (error) {
      if (causeOf(error, NodeClaimNotFoundError)) return undefined;
      throw error;
    }
    if (reason === '') conditions.clear(DRIFTED);
    else conditions.setTrue(DRIFTED, reason, reason);
    return { requeueAfter: PERIOD_MS };
  }

  forget(claim: NodeClaim): void {
    this.#typeFound.delete(claim.metadata.uid ?? '');
  }

  async #reason(nodePool: NodePool, claim: NodeClaim, signal: AbortSignal): Promise<string> {
    const { cloud, clock } = this.#deps;
    if (isHashDrifted(nodePool, claim)) return 'NodePoolDrifted';
    // Types are asked for only where the labels alone say so: a claim may be older than a label.
    if (
      areRequirementsDrifted(nodePool, claim) &&
      areRequirementsDrifted(nodePool, claim, await cloud.getInstanceTypes(nodePool, signal))
    ) {
      return 'RequirementsDrifted';
    }
    const uid = claim.metadata.uid ?? '';
    const now = clock.now();
    const isOld = now - Date.parse(claim.metadata.creationTimestamp ?? '') > TYPE_CHECK_AGE_MS;
    if (isOld && now - (this.#typeFound.get(uid) ?? Number.NEGATIVE_INFINITY) >= TYPE_CHECK_PERIOD_MS) {
      if (isTypeGone(await cloud.getInstanceTypes(nodePool, signal), claim, cloud)) return 'InstanceTypeNotFound';
      this.#typeFound.set(uid, now);
    }
    return await cloud.isDrifted(claim, signal);
  }
}

/** The type, or the offering it was bought at, is no longer in the provider's list, sold out or not. */
function isTypeGone(
  types: readonly InstanceType[],
  claim: NodeClaim,
  { wellKnownLabels, reservedCapacityLabels = new Set() }: Deps['cloud'],
): boolean {
  const { labels = {} } = claim.metadata;
  const type = types.find(({ name }) => name === labels[LABEL_INSTANCE_TYPE]);
  if (!type) return true;
  const isReserved = labels[LABEL_CAPACITY_TYPE] === CAPACITY_TYPE_RESERVED;
  const lasting = Object.entries(labels).filter(([key]) => !isReserved || !reservedCapacityLabels.has(key));
  const requirements = Requirements.fromLabels(Object.fromEntries(lasting));
  // A reserved node may have been demoted without its label saying so yet.
  if (isReserved) {
    const either = [CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_ON_DEMAND];
    requirements.replace(Requirement.of(LABEL_CAPACITY_TYPE, 'In', either));
  }
  const known = new Set([...WELL_KNOWN_LABELS, ...wellKnownLabels]);
  return !type.offerings.some((offering) => requirements.compatible(offering.requirements, known));
}
