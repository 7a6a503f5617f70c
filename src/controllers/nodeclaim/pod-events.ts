import { type ControllerSpec, watch } from '../../kube/controller.ts';
import type { Change } from '../../kube/informer.ts';
import type { Pod } from '../../kube/objects.ts';
import { isTerminal, isTerminating } from '../../kube/pods.ts';
import { Pods } from '../../kube/resources.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import { isOwnedByDaemonSet } from '../../scheduling/pod-lifecycle.ts';
import type { ControllerContext } from '../context.ts';
import { BY_PROVIDER_ID } from '../indexes.ts';
import { isManagedClaim } from '../managed.ts';
import { tolerant } from '../tolerant.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'nodes' | 'cloud' | 'clock'>;

/** Shorter than the 15 s for which a disruption command waits, so that it still sees every event. */
const DEDUPE_MS = 10_000;

/** A pod came to a node, ran to its end there, or begins to leave it: the node's consolidateAfter starts over. */
function nodeOf(change: Change<Pod>, since: number): readonly string[] {
  const { object: pod } = change;
  const nodeName = pod.spec.nodeName;
  if (!nodeName || isOwnedByDaemonSet(pod) || change.type === 'Deleted') return [];
  // What a first list brings has happened before; a restart must not start every node's time again.
  if (change.type === 'Added') return Date.parse(pod.metadata.creationTimestamp ?? '') >= since ? [nodeName] : [];
  const { old } = change;
  const bound = !old.spec.nodeName;
  const ended = !isTerminal(old) && isTerminal(pod);
  const leaving = !isTerminating(old) && isTerminating(pod);
  return bound || ended || leaving ? [nodeName] : [];
}

/** Keeps the time of the last pod event on the claim of the pod's node (karpenter-core.md 5.12). */
export class NodeClaimPodEvents implements ControllerSpec {
  readonly name = 'nodeclaim.podevents';
  readonly watches;
  readonly workers = 100;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    // Creation times have whole seconds.
    const since = Math.floor(deps.clock.now() / 1000) * 1000;
    this.watches = [watch(Pods, (change) => nodeOf(change, since))];
  }

  /** @param key the node's name. */
  async reconcile(key: string, signal: AbortSignal) {
    const { nodes, nodeClaims, cloud, clock } = this.#deps;
    const id = nodes.get(key)?.spec.providerID;
    const [claim, ...more] = id ? nodeClaims.byIndex(BY_PROVIDER_ID, id) : [];
    if (!claim || more.length > 0 || !isManagedClaim(cloud, claim)) return;
    const last = claim.status?.lastPodEventTime;
    if (last !== undefined && clock.now() - Date.parse(last) < DEDUPE_MS) return;
    const status = { ...claim.status, lastPodEventTime: formatTimestamp(clock.now()) };
    return await tolerant(async () => {
      await nodeClaims.patchStatus(claim, { ...claim, status }, {}, signal);
      return undefined;
    });
  }
}
