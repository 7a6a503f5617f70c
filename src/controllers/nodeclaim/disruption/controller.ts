import { NODE_CLAIM_CONDITIONS } from '../../../apis/condition-types.ts';
import { ConditionSet } from '../../../apis/conditions.ts';
import { type ControllerSpec, type Watch, watch } from '../../../kube/controller.ts';
import type { Informers } from '../../../kube/informers.ts';
import type { Pod } from '../../../kube/objects.ts';
import { NodeClaims, NodePools, Nodes, Pods } from '../../../kube/resources.ts';
import type { ControllerContext } from '../../context.ts';
import { BY_NODE_POOL, claimsOfNode } from '../../indexes.ts';
import { isManagedClaim } from '../../managed.ts';
import { watchNodeClasses } from '../../nodepool/node-class.ts';
import { soonest } from '../../soonest.ts';
import { tolerant } from '../../tolerant.ts';
import { poolOf } from '../disrupted-labels.ts';
import { updateConsolidatable } from './consolidatable.ts';
import { Drift } from './drift.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'nodePools' | 'cloud' | 'clock' | 'informers'>;

/** Keeps the conditions that make a claim a candidate for disruption: Drifted and Consolidatable (karpenter-core.md 5.13). */
export class NodeClaimDisruption implements ControllerSpec {
  readonly name = 'nodeclaim.disruption';
  readonly watches: readonly Watch[];
  readonly workers = 100;
  readonly #deps: Deps;
  readonly #drift: Drift;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#drift = new Drift(deps);
    const ofPool = (name: string): readonly string[] =>
      deps.nodeClaims.byIndex(BY_NODE_POOL, name).map((claim) => claim.metadata.name);
    this.watches = [
      watch(NodeClaims),
      watch(NodePools, ({ object }) => ofPool(object.metadata.name)),
      watch(Pods, ({ object }) => claimsOfPod(deps.informers, object)),
      ...watchNodeClasses(deps).map((source) => perPool(source, ofPool)),
    ];
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodeClaims, nodePools, cloud, clock } = this.#deps;
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

/** The same source, with each pool's claims in place of the pool. */
function perPool(source: Watch, ofPool: (name: string) => readonly string[]): Watch {
  return {
    subscribe: (informers, add) =>
      source.subscribe(informers, (pool) => {
        for (const key of ofPool(pool)) add(key);
      }),
  };
}
