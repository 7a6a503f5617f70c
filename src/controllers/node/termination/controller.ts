import {
  DRAINED,
  INSTANCE_TERMINATING,
  NODE_CLAIM_CONDITIONS,
  READY,
  VOLUMES_DETACHED,
} from '../../../apis/condition-types.ts';
import { ConditionSet } from '../../../apis/conditions.ts';
import {
  ANNOTATION_TERMINATION_TIMESTAMP,
  FINALIZER_TERMINATION,
  LABEL_NODEPOOL,
  LABEL_ZONE,
} from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { causeOf, NodeClaimNotFoundError } from '../../../cloudprovider/errors.ts';
import { conditionIsTrue } from '../../../kube/conditions.ts';
import { type ControllerSpec, type ReconcileResult, type Watch, watch } from '../../../kube/controller.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import type { Node } from '../../../kube/objects.ts';
import { Nodes } from '../../../kube/resources.ts';
import type { ControllerContext } from '../../context.ts';
import { BY_PROVIDER_ID } from '../../indexes.ts';
import { isManagedNode } from '../../managed.ts';
import { tolerant } from '../../tolerant.ts';
import { awaitingVolumeDetachment, failedDraining, nodeTerminationGracePeriodExpiring } from './events.ts';
import { pendingVolumes } from './pending-volumes.ts';
import type { Terminator } from './terminator.ts';

type Deps = ControllerContext & { readonly terminator: Pick<Terminator, 'taint' | 'drain'> };

/** A node on its way out, with what is known of it; `conditions` only when it has a claim. */
interface Departure {
  readonly node: Node;
  readonly claim?: NodeClaim;
  readonly conditions?: ConditionSet;
  readonly deadline?: number;
}

const POLL_MS = 1000;
const INSTANCE_POLL_MS = 5000;
/** Pods that were bound while the taint was on its way must be seen before a node counts as empty. */
const SHORTEST_DRAIN_MS = 5000;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Takes a deleted node apart: taint, drain, volumes, instance, then the object (karpenter-core.md section 6). */
export class NodeTermination implements ControllerSpec {
  readonly name = 'node.termination';
  readonly watches: readonly Watch[] = [watch(Nodes)];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const node = this.#deps.nodes.get(key);
    if (!node?.metadata.deletionTimestamp || !node.metadata.finalizers?.includes(FINALIZER_TERMINATION))
      return undefined;
    if (!isManagedNode(this.#deps.cloud, node)) return undefined;
    return await tolerant(async () => await this.#terminate(node, signal));
  }

  async #terminate(node: Node, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { nodeClaims, clock, terminator, metrics } = this.#deps;
    const claim = await this.#claim(node, signal);
    if (await this.#isGone(node, signal)) {
      await this.#release(node, signal);
      return undefined;
    }
    const deadline = this.#deadline(node, claim);
    const tainted = await terminator.taint(node, signal);
    const departure: Departure = {
      node: tainted,
      ...(claim ? { claim, conditions: new ConditionSet(claim, NODE_CLAIM_CONDITIONS, clock.now()) } : {}),
      ...(deadline === undefined ? {} : { deadline }),
    };
    // What the stages have come to is written even if one of them failed.
    const outcome = await this.#advance(departure, signal).then(
      (wait) => ({ wait }),
      (error: unknown) => ({ error }),
    );
    if (claim && departure.conditions) {
      const wasDrained = conditionIsTrue(claim, DRAINED);
      await nodeClaims
        .patchStatus(claim, departure.conditions.applied(claim), { lock: true }, signal)
        .catch(ignoreNotFound);
      if (!wasDrained && departure.conditions.isTrue(DRAINED)) {
        metrics.count('nodes_drained_total', { nodepool: node.metadata.labels?.[LABEL_NODEPOOL] ?? '' });
      }
    }
    if ('error' in outcome) throw outcome.error;
    if (outcome.wait) return outcome.wait;
    await this.#release(tainted, signal);
    return undefined;
  }

  /** When the node goes in any case, in epoch milliseconds; told to the node. Throws when it can't be read. */
  #deadline(node: Node, claim: NodeClaim | undefined): number | undefined {
    const until = claim?.metadata.annotations?.[ANNOTATION_TERMINATION_TIMESTAMP];
    if (until === undefined) return undefined;
    this.#deps.recorder.publish(nodeTerminationGracePeriodExpiring(node, until));
    const deadline = RFC_3339.test(until) ? Date.parse(until) : Number.NaN;
    if (Number.isNaN(deadline)) {
      throw new Error(`annotation ${ANNOTATION_TERMINATION_TIMESTAMP} "${until}" is no RFC 3339 time`);
    }
    return deadline;
  }

  /** The node's claim, deleted like the node; none when there are several, since none of them speaks for the node. */
  async #claim(node: Node, signal: AbortSignal): Promise<NodeClaim | undefined> {
    const { nodeClaims } = this.#deps;
    const [claim, ...more] = node.spec.providerID ? nodeClaims.byIndex(BY_PROVIDER_ID, node.spec.providerID) : [];
    if (!claim || more.length > 0) return undefined;
    if (claim.metadata.deletionTimestamp) return claim;
    await nodeClaims.delete(claim, signal).catch(ignoreNotFound);
    return claim;
  }

  /** Whether the instance has ended already; a node that reports ready is alive, whatever the provider says. */
  async #isGone(node: Node, signal: AbortSignal): Promise<boolean> {
    if (conditionIsTrue(node, READY)) return false;
    try {
      await this.#deps.cloud.get(node.spec.providerID ?? '', signal);
      return false;
    } catch (error) {
      if (causeOf(error, NodeClaimNotFoundError)) return true;
      throw error;
    }
  }

  /** Undefined when all stages are through. */
  async #advance(departure: Departure, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    return (
      (await this.#drain(departure, signal)) ??
      this.#detachVolumes(departure) ??
      (await this.#endInstance(departure, signal))
    );
  }

  async #drain(departure: Departure, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { terminator, recorder, clock } = this.#deps;
    const { node, conditions, deadline } = departure;
    if (conditions && !conditions.get(DRAINED)) conditions.setUnknown(DRAINED, 'Draining', 'Draining');
    const waiting = await terminator.drain(node, deadline, signal);
    if (waiting > 0) {
      recorder.publish(failedDraining(node, `${waiting} pods are waiting to be evicted`));
      return { requeueAfter: POLL_MS };
    }
    if (!conditions) return undefined;
    const begun = conditions.since(DRAINED);
    if (conditions.isUnknown(DRAINED) && clock.now() - begun < SHORTEST_DRAIN_MS) return { requeueAfter: POLL_MS };
    conditions.setTrue(DRAINED);
    return undefined;
  }

  #detachVolumes({ node, conditions, deadline }: Departure): ReconcileResult | undefined {
    const { informers, clock, recorder } = this.#deps;
    const pending = pendingVolumes(informers, node, clock.now());
    if (pending.length === 0) {
      conditions?.setTrue(VOLUMES_DETACHED);
      return undefined;
    }
    if (deadline === undefined || clock.now() <= deadline) {
      recorder.publish(awaitingVolumeDetachment(node, pending));
      conditions?.setUnknown(VOLUMES_DETACHED, 'AwaitingVolumeDetachment', 'AwaitingVolumeDetachment');
      return { requeueAfter: POLL_MS };
    }
    conditions?.setFalse(VOLUMES_DETACHED, 'TerminationGracePeriodElapsed', 'TerminationGracePeriodElapsed');
    return undefined;
  }

  async #endInstance({ claim, conditions }: Departure, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    if (!claim) return undefined;
    let gone = false;
    try {
      await this.#deps.cloud.delete(claim, signal);
    } catch (error) {
      if (!causeOf(error, NodeClaimNotFoundError)) throw error;
      gone = true;
    }
    conditions?.setTrue(INSTANCE_TERMINATING);
    return gone ? undefined : { requeueAfter: INSTANCE_POLL_MS };
  }

  async #release(node: Node, signal: AbortSignal): Promise<void> {
    const { client, nodes, clock, metrics, log } = this.#deps;
    const { name, uid } = node.metadata;
    // Takes just ours off the list, whatever others do to the node meanwhile.
    const body = { metadata: { uid, '$deleteFromPrimitiveList/finalizers': [FINALIZER_TERMINATION] } };
    nodes.note(await client.patch(Nodes, { name }, { type: 'strategic', body }, {}, signal));
    const nodepool = node.metadata.labels?.[LABEL_NODEPOOL] ?? '';
    const since = (time: string | undefined): number => (clock.now() - Date.parse(time ?? '')) / 1000;
    metrics.count('nodes_terminated_total', { nodepool, zone: node.metadata.labels?.[LABEL_ZONE] ?? '' });
    metrics.observe('nodes_termination_duration_seconds', since(node.metadata.deletionTimestamp), { nodepool });
    metrics.observe('nodes_lifetime_duration_seconds', since(node.metadata.creationTimestamp), { nodepool });
    log.info('deleted node', { Node: { name } });
  }
}
