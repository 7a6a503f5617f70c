import { NODE_CLAIM_CONDITIONS } from '../../../apis/condition-types.ts';
import { ConditionSet } from '../../../apis/conditions.ts';
import { type ControllerSpec, type Watch, watch } from '../../../kube/controller.ts';
import type { Informers } from '../../../kube/informers.ts';
import type { Pod } from '../../../kube/objects.ts';
import { NodeClaims, NodePools, Nodes, Pods } from '../../../kube/resources.ts';
import type { ControllerContext } from '../../context.ts';
import { BY_NODE_CLASS, BY_NODE_POOL, claimsOfNode, nodeClassKey } from '../../indexes.ts';
import { isManagedClaim } from '../../managed.ts';
import { nodeClassResources } from '../../nodepool/node-class.ts';
import { soonest } from '../../soonest.ts';
import { tolerant } from '../../tolerant.ts';
import { poolOf } from '../disrupted-labels.ts';
import { logConditions } from './condition-log.ts';
import { updateConsolidatable } from './consolidatable.ts';
import { Drift } from './drift.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'nodePools' | 'cloud' | 'clock' | 'informers' | 'log'>;

/** Keeps the conditions that make a claim a candidate for disruption: Drifted and Consolidatable (karpenter-core.md 5.13). */
export class NodeClaimDisruption implements ControllerSpec {
  readonly name = 'nodeclaim.disruption';
  readonly watches: readonly Watch[];
  readonly #deps: Deps;
  readonly #drift: Drift;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#drift = new Drift(deps);
    const indexed = (index: string, value: string): readonly string[] =>
      deps.nodeClaims.byIndex(index, value).map((claim) => claim.metadata.name);
    this.watches = [
      watch(NodeClaims),
      watch(NodePools, ({ object }) => indexed(BY_NODE_POOL, object.metadata.name)),
      watch(Pods, ({ object }) => claimsOfPod(deps.informers, object)),
      // By what the claims themselves refer to: their pool may have another class by now.
      ...nodeClassResources(deps.cloud).map((resource) =>
        watch(resource, ({ object: { metadata } }) =>
          indexed(BY_NODE_CLASS, nodeClassKey({ ...resource, name: metadata.name })),
        ),
      ),
    ];
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodeClaims, nodePools, cloud, clock, log } = this.#deps;
    const claim = nodeClaims.get(key);
    if (!claim || !isManagedClaim(cloud, claim)) return;
    if (claim.metadata.deletionTimestamp) {
      this.#drift.forget(claim);
      return;
    }
    const nodePool = nodePools.get(poolOf(claim));
    if (!nodePool) return;
    const conditions = new ConditionSet(claim, NODE_CLAIM_CONDITIONS, clock.now());
    let drift: Awaited<ReturnType<Drift['update']>>;
    let failure: unknown;
    try {
      drift = await this.#drift.update(nodePool, claim, conditions, signal);
    } catch (error) {
      failure = error;
    }
    const isStatic = nodePool.spec.replicas !== undefined;
    const idle = isStatic ? undefined : updateConsolidatable(nodePool, claim, conditions, clock.now());
    logConditions(log, nodePool, claim, conditions);
    return await tolerant(async () => {
      await nodeClaims.patchStatus(claim, conditions.applied(claim), { lock: true }, signal);
      if (failure !== undefined) throw failure;
      return soonest(drift, idle);
    });
  }
}

function claimsOfPod(informers: Informers, pod: Pod): readonly string[] {
  const node = informers.reader(Nodes).get(pod.spec.nodeName ?? '');
  return node ? claimsOfNode(informers, node) : [];
}
