import type { Client, Resource } from '../../kube/client.ts';
import { ignoreNotFound, isAlreadyExists } from '../../kube/errors.ts';
import type { Informers } from '../../kube/informers.ts';
import { controllerOf } from '../../kube/pods.ts';
import { ControllerRevisions } from '../../kube/resources.ts';
import { deepEqual } from '../deep-equal.ts';
import { type Controlled, controlledBy } from '../indexes.ts';
import type { OwnerKind } from '../owners.ts';
import { writeStatus } from '../writes/write-status.ts';
import {
  type ControllerRevision,
  planRevision,
  type RevisionedSet,
  type RevisionPlan,
  surplusRevisions,
} from './plan.ts';

const Revisions = ControllerRevisions as unknown as Resource<ControllerRevision>;

/** Keeps the history of DaemonSets and StatefulSets. */
export class RevisionControl<S extends RevisionedSet> {
  readonly #client: Client;
  readonly #revisionsOf: Controlled<ControllerRevision>;
  readonly #sets: Resource<S>;
  readonly #kind: OwnerKind;

  constructor(deps: { readonly client: Client; readonly informers: Informers }, sets: Resource<S>, kind: OwnerKind) {
    this.#client = deps.client;
    this.#revisionsOf = controlledBy(deps.informers.for(Revisions));
    this.#sets = sets;
    this.#kind = kind;
  }

  /**
   * The present revision, written. Undefined when another template has the same hash: the set's collision count is raised,
   * and the next try takes another hash.
   */
  async sync(set: S, signal: AbortSignal): Promise<RevisionPlan | undefined> {
    const status = set.status as { readonly collisionCount?: number } | undefined;
    const collisionCount = status?.collisionCount ?? 0;
    const plan = planRevision(set, this.#kind, this.#revisionsOf.of(set), collisionCount);
    if (plan.write === 'none') return plan;
    const current =
      plan.write === 'update'
        ? await this.#client.update(Revisions, plan.current, {}, signal)
        : await this.#create(set, plan.current, signal);
    if (current !== undefined) return { ...plan, current };
    await writeStatus(this.#client, this.#sets, set, { ...status, collisionCount: collisionCount + 1 }, signal);
    return undefined;
  }

  /** Deletes old revisions beyond the set's limit; `live` are names and hashes that are in use. */
  async prune(set: S, plan: RevisionPlan, live: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    for (const { metadata } of surplusRevisions(set, plan.old, live)) {
      await this.#client
        .delete(Revisions, { name: metadata.name, namespace: metadata.namespace }, {}, signal)
        .catch(ignoreNotFound);
    }
  }

  /** Undefined when there is another revision of this name. */
  async #create(set: S, revision: ControllerRevision, signal: AbortSignal): Promise<ControllerRevision | undefined> {
    try {
      return await this.#client.create(Revisions, revision, {}, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const existing = await this.#client.get(Revisions, revision.metadata, signal);
    const isOurs = controllerOf(existing)?.uid === set.metadata.uid;
    return isOurs && deepEqual(existing.data, revision.data) ? existing : undefined;
  }
}
