import { CONSISTENT_STATE_FOUND, INITIALIZED, NODE_CLAIM_CONDITIONS } from '../../apis/condition-types.ts';
import { ConditionSet } from '../../apis/conditions.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { conditionIsTrue } from '../../kube/conditions.ts';
import { type ControllerSpec, type Watch, watch } from '../../kube/controller.ts';
import type { Node } from '../../kube/objects.ts';
import { canonicalQuantity, parseQuantityMilli } from '../../kube/quantity.ts';
import { NodeClaims, Nodes } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { BY_PROVIDER_ID, claimsOfNode } from '../indexes.ts';
import { isManagedClaim } from '../managed.ts';
import { tolerant } from '../tolerant.ts';
import { failedConsistencyCheck } from './events.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'nodes' | 'informers' | 'cloud' | 'clock' | 'recorder' | 'log'>;

const PERIOD_MS = 600_000;
/** Less than this share of what was bought is worth a warning. */
const ENOUGH = 0.9;

/** Looks whether nodes are what was bought (karpenter-core.md 5.9). */
export class NodeClaimConsistency implements ControllerSpec {
  readonly name = 'nodeclaim.consistency';
  readonly watches: readonly Watch[];
  readonly #deps: Deps;
  /** When a claim was last looked at, by name and uid. */
  readonly #lastScan = new Map<string, { readonly uid: string | undefined; readonly at: number }>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.watches = [watch(NodeClaims), watch(Nodes, ({ object }) => claimsOfNode(deps.informers, object))];
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodeClaims, nodes, cloud, clock, recorder, log } = this.#deps;
    const claim = nodeClaims.get(key);
    if (!claim) this.#lastScan.delete(key);
    if (!claim?.status?.providerID || !isManagedClaim(cloud, claim)) return;
    const { uid } = claim.metadata;
    const last = this.#lastScan.get(key);
    const wait = last?.uid === uid ? (last?.at ?? 0) + PERIOD_MS - clock.now() : 0;
    if (wait > 0) return { requeueAfter: wait };
    // Even without a node: what has just been launched gets the time to become what it is to be.
    this.#lastScan.set(key, { uid, at: clock.now() });
    const [node, ...more] = nodes.byIndex(BY_PROVIDER_ID, claim.status.providerID);
    if (!node || more.length > 0) return;
    const issues = shapeIssues(claim, node);
    for (const issue of issues) {
      log.info('failed consistency check', { NodeClaim: { name: key }, issue });
      recorder.publish(failedConsistencyCheck(claim, issue));
    }
    const conditions = new ConditionSet(claim, NODE_CLAIM_CONDITIONS, clock.now());
    if (issues.length > 0) {
      conditions.setFalse(CONSISTENT_STATE_FOUND, 'ConsistencyCheckFailed', 'Consistency Check Failed');
    } else if (!conditions.isTrue(CONSISTENT_STATE_FOUND)) conditions.setTrue(CONSISTENT_STATE_FOUND);
    return await tolerant(async () => {
      await nodeClaims.patchStatus(claim, conditions.applied(claim), { lock: true }, signal);
      return { requeueAfter: PERIOD_MS };
    });
  }
}

function shapeIssues(claim: NodeClaim, node: Node): string[] {
  if (claim.metadata.deletionTimestamp || !conditionIsTrue(claim, INITIALIZED)) return [];
  const issues: string[] = [];
  for (const [name, request] of Object.entries(claim.spec.resources?.requests ?? {})) {
    const expected = claim.status?.capacity?.[name] ?? '0';
    const found = node.status?.capacity?.[name] ?? '0';
    if (parseQuantityMilli(request) === 0 || parseQuantityMilli(expected) === 0) continue;
    const share = parseQuantityMilli(found) / parseQuantityMilli(expected);
    if (share >= ENOUGH) continue;
    issues.push(
      `expected ${canonicalQuantity(expected)} of resource ${name}, but found ${canonicalQuantity(found)} ` +
        `(${(share * 100).toFixed(1)}% of expected)`,
    );
  }
  return issues;
}
