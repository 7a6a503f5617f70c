import { findCondition } from '../../kube/conditions.ts';
import { type ControllerSpec, type Watch, watch } from '../../kube/controller.ts';
import type { Change } from '../../kube/informer.ts';
import type { Pod } from '../../kube/objects.ts';
import { isTerminal, isTerminating } from '../../kube/pods.ts';
import { NodeClaims, Nodes, Pods } from '../../kube/resources.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import { isOwnedByDaemonSet } from '../../scheduling/pod-lifecycle.ts';
import type { ControllerContext } from '../context.ts';
import { BY_PROVIDER_ID } from '../indexes.ts';
import { isManagedClaim } from '../managed.ts';
import { tolerant } from '../tolerant.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'nodes' | 'cloud' | 'clock'>;

/** Shorter than the 15 s for which a disruption command waits, so that it still sees every event. */
const DEDUPE_MS = 10_000;

/**
 * When a pod came to its node, ran to its end there, or began to leave it, if the change says so: the node's
 * consolidateAfter starts over then.
 */
function timeOf(change: Change<Pod>, started: number, now: number): number | undefined {
  const { object: pod } = change;
  if (!pod.spec.nodeName || isOwnedByDaemonSet(pod) || change.type === 'Deleted') return undefined;
  if (change.type === 'Added') {
    // What a first list brings has happened at a time of its own: a restart must not start every node's time again.
    if (Date.parse(pod.metadata.creationTimestamp ?? '') >= started) return now;
    const bound = findCondition(pod, 'PodScheduled')?.lastTransitionTime;
    return bound === undefined ? undefined : Date.parse(bound);
  }
  const { old } = change;
  const bound = !old.spec.nodeName;
  const ended = !isTerminal(old) && isTerminal(pod);
  const leaving = !isTerminating(old) && isTerminating(pod);
  return bound || ended || leaving ? now : undefined;
}

/** Keeps the time of the last pod event on the claim of the pod's node (karpenter-core.md 5.12). */
export class NodeClaimPodEvents implements ControllerSpec {
  readonly name = 'nodeclaim.podevents';
  readonly watches: readonly Watch[];
  readonly #deps: Deps;
  /** The newest event of each node that is not on its claim yet. */
  readonly #latest = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
    // Creation times have whole seconds.
    const started = Math.floor(deps.clock.now() / 1000) * 1000;
    this.watches = [
      watch(Pods, (change) => this.#note(change.object, timeOf(change, started, deps.clock.now()))),
      // Only waited for: pods that are listed first have nodes and claims that are not known yet.
      watch(Nodes, () => []),
      watch(NodeClaims, () => []),
    ];
  }

  /** @param key the node's name. */
  async reconcile(key: string, signal: AbortSignal) {
    const time = this.#latest.get(key);
    if (time === undefined) return;
    return await tolerant(async () => {
      await this.#write(key, time, signal);
      if (this.#latest.get(key) === time) this.#latest.delete(key);
      return undefined;
    });
  }

  async #write(nodeName: string, time: number, signal: AbortSignal): Promise<void> {
    const { nodes, nodeClaims, cloud } = this.#deps;
    const id = nodes.get(nodeName)?.spec.providerID;
    const [claim, ...more] = id ? nodeClaims.byIndex(BY_PROVIDER_ID, id) : [];
    if (!claim || more.length > 0 || !isManagedClaim(cloud, claim)) return;
    const last = claim.status?.lastPodEventTime;
    if (last !== undefined && time - Date.parse(last) < DEDUPE_MS) return;
    const status = { ...claim.status, lastPodEventTime: formatTimestamp(time) };
    await nodeClaims.patchStatus(claim, { ...claim, status }, {}, signal);
  }

  #note({ spec: { nodeName = '' } }: Pod, time: number | undefined): readonly string[] {
    if (time === undefined) return [];
    this.#latest.set(nodeName, Math.max(time, this.#latest.get(nodeName) ?? 0));
    return [nodeName];
  }
}
