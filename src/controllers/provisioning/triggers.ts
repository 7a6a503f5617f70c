import { TAINT_DISRUPTED } from '../../apis/labels.ts';
import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { Nodes, Pods } from '../../kube/resources.ts';
import { isProvisionable } from '../../scheduling/pod-lifecycle.ts';
import type { ControllerContext } from '../context.ts';
import type { Batcher } from './batcher.ts';

type Deps = Pick<ControllerContext, 'informers' | 'nodes' | 'cluster'> & { readonly batcher: Pick<Batcher, 'trigger'> };

/** A pod that is still waiting asks again, since what was planned for it may have come to nothing. */
const AGAIN_MS = 10_000;

/** Starts a pass for every pod that the scheduler has no room for (karpenter-core.md 3.1.2). */
export class PodTrigger implements ControllerSpec {
  readonly name = 'provisioner.trigger.pod';
  readonly watches = [watch(Pods)];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string) {
    const pod = this.#deps.informers.reader(Pods).get(key);
    if (!pod || !isProvisionable(pod)) return;
    this.#deps.batcher.trigger(pod.metadata.uid ?? key);
    this.#deps.cluster.podTimings.saw(pod);
    return { requeueAfter: AGAIN_MS };
  }
}

/** Starts a pass for nodes being disrupted, so that their pods have somewhere to go (karpenter-core.md 3.1.3). */
export class NodeTrigger implements ControllerSpec {
  readonly name = 'provisioner.trigger.node';
  readonly watches = [watch(Nodes)];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string) {
    const node = this.#deps.nodes.get(key);
    const { key: taint, effect } = TAINT_DISRUPTED;
    if (!node?.spec.taints?.some((t) => t.key === taint && t.effect === effect)) return;
    this.#deps.batcher.trigger(node.metadata.uid ?? key);
    return { requeueAfter: AGAIN_MS };
  }
}
