import { ANNOTATION_MIN_VALUES_RELAXED, LABEL_NODEPOOL } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { Random } from '../../kube/clock.ts';
import { isAlreadyExists, isNotFound, isOutcomeUnknown } from '../../kube/errors.ts';
import type { Pod } from '../../kube/objects.ts';
import { NodeClaims } from '../../kube/resources.ts';
import { isVirtualPod } from '../../scheduling/buffers/virtual-pods.ts';
import type { PlannedNodeClaim, StateNode } from '../../scheduling/types.ts';
import type { ControllerContext } from '../context.ts';
import { nominated } from './events.ts';
import { listedTypes } from './listed-types.ts';
import { LimitExceededError, type Promised, PromisedCapacity } from './promised-capacity.ts';
import { staticNodeClaim, toNodeClaim } from './to-node-claim.ts';

type Deps = Pick<ControllerContext, 'client' | 'cloud' | 'cluster' | 'nodePools' | 'recorder' | 'metrics' | 'log'> & {
  readonly random: Random;
};

export interface CreateOptions {
  /** For `nodeclaims_created_total`. */
  readonly reason: string;
  /** Tell the pods. */
  readonly nominate: boolean;
  /** Nodes that these claims replace: they make room within limits, and either all the claims are within them or none is created. */
  readonly replaced?: readonly StateNode[];
}

/** Turns plans into NodeClaims (karpenter-core.md 3.10). */
export class NodeClaimCreator {
  readonly #deps: Deps;
  readonly #promises: PromisedCapacity;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#promises = new PromisedCapacity(deps.cluster);
  }

  /**
   * Creates all of them at once; those that succeed stay even if others fail.
   *
   * @throws the first failure, after all have been tried.
   */
  async create(
    planned: readonly PlannedNodeClaim[],
    options: CreateOptions,
    signal: AbortSignal,
  ): Promise<readonly NodeClaim[]> {
    const held = planned.map((plan) => this.#hold(plan, options.replaced ?? []));
    const refused = held.find((outcome) => outcome instanceof LimitExceededError);
    if (refused && options.replaced) {
      for (const outcome of held) if (!(outcome instanceof LimitExceededError)) this.#promises.release(outcome);
      throw refused;
    }
    const outcomes = await Promise.allSettled(
      planned.map((plan, i) => this.#createHeld(plan, held[i], options, signal)),
    );
    const created: NodeClaim[] = [];
    const failures: unknown[] = [];
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') created.push(outcome.value);
      else failures.push(outcome.reason);
    }
    if (failures.length > 0) throw failures[0];
    return created;
  }

  async createStatic(nodePool: NodePool, reason: string, signal: AbortSignal): Promise<NodeClaim> {
    this.#promises.checkUsed(this.#latest(nodePool));
    return await this.#post(nodePool, (latest) => staticNodeClaim(latest, this.#context()), [], reason, signal);
  }

  #hold(plan: PlannedNodeClaim, replaced: readonly StateNode[]): Promised | LimitExceededError {
    try {
      return this.#promises.hold(this.#latest(plan.nodePool), plan, replaced);
    } catch (error) {
      if (error instanceof LimitExceededError) return error;
      throw error;
    }
  }

  async #createHeld(
    plan: PlannedNodeClaim,
    held: Promised | LimitExceededError | undefined,
    options: CreateOptions,
    signal: AbortSignal,
  ): Promise<NodeClaim> {
    if (!held || held instanceof LimitExceededError) throw held;
    try {
      const claim = await this.#createPlanned(plan, options, signal);
      held.claim = claim.metadata.name;
      return claim;
    } catch (error) {
      this.#promises.release(held);
      throw error;
    }
  }

  #latest(nodePool: NodePool): NodePool {
    return this.#deps.nodePools.get(nodePool.metadata.name) ?? nodePool;
  }

  async #createPlanned(plan: PlannedNodeClaim, options: CreateOptions, signal: AbortSignal): Promise<NodeClaim> {
    const make = (): NodeClaim => toNodeClaim(plan, this.#context());
    const claim = await this.#post(plan.nodePool, make, plan.pods, options.reason, signal);
    if (options.nominate) {
      const told = plan.pods.filter((pod) => !isVirtualPod(pod));
      for (const pod of told) this.#deps.recorder.publish(nominated(pod, { nodeClaim: claim }));
    }
    return claim;
  }

  #context() {
    const { wellKnownLabels, defaultTerminationGracePeriodMs } = this.#deps.cloud;
    return { wellKnownLabels, defaultTerminationGracePeriodMs, random: this.#deps.random };
  }

  async #post(
    nodePool: NodePool,
    make: (latest: NodePool) => NodeClaim,
    pods: readonly Pod[],
    reason: string,
    signal: AbortSignal,
  ): Promise<NodeClaim> {
    const { cluster, metrics, log } = this.#deps;
    const latest = this.#latest(nodePool);
    const claim = await this.#createNamed(() => make(latest), pods, signal);
    const types = claim.spec.requirements.find((r) => r.key === 'node.kubernetes.io/instance-type')?.values ?? [];
    log.info('created nodeclaim', {
      NodePool: { name: nodePool.metadata.name },
      NodeClaim: { name: claim.metadata.name },
      requests: claim.spec.resources?.requests,
      'instance-types': listedTypes(types),
    });
    metrics.count('nodeclaims_created_total', {
      reason,
      nodepool: claim.metadata.labels?.[LABEL_NODEPOOL] ?? '',
      min_values_relaxed: claim.metadata.annotations?.[ANNOTATION_MIN_VALUES_RELAXED] ?? 'false',
    });
    // Not waiting for the watch: the next pass has to know that this claim is on its way.
    cluster.expectNodeClaim(claim, pods);
    for (const pod of pods) cluster.podTimings.plannedFor(pod, claim.metadata.name);
    return claim;
  }

  /** A name that happens to be taken is simply made up anew. */
  async #createNamed(make: () => NodeClaim, pods: readonly Pod[], signal: AbortSignal): Promise<NodeClaim> {
    const { client } = this.#deps;
    const wanted = make();
    try {
      return await client.create(NodeClaims, wanted, {}, signal);
    } catch (error) {
      if (isAlreadyExists(error)) return await client.create(NodeClaims, make(), {}, signal);
      if (!isOutcomeUnknown(error)) throw error;
      return await this.#madeAfterAll(wanted, pods, error, signal);
    }
  }

  /**
   * A create whose answer was lost may have been done, and the watch may take its time: whoever decides meanwhile would buy
   * a second node for the same pods, beyond the limit of the pool.
   *
   * @throws what the create failed with, unless the claim is there.
   */
  async #madeAfterAll(
    wanted: NodeClaim,
    pods: readonly Pod[],
    failure: unknown,
    signal: AbortSignal,
  ): Promise<NodeClaim> {
    const { client, cluster } = this.#deps;
    try {
      return await client.get(NodeClaims, { name: wanted.metadata.name }, signal);
    } catch (error) {
      // Nobody knows: it counts until the state's garbage collection finds out.
      if (!isNotFound(error)) cluster.expectNodeClaim(wanted, pods);
      throw failure;
    }
  }
}
