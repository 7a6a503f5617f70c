import type { Client, Resource } from '../../kube/client.ts';
import { isAlreadyExists, isNotFound } from '../../kube/errors.ts';
import type { Informers } from '../../kube/informers.ts';
import { controllerOf } from '../../kube/pods.ts';
import { ControllerRevisions } from '../../kube/resources.ts';
import { deepEqual } from '../deep-equal.ts';
import { type Controlled, controlledBy } from '../indexes.ts';
import type { OwnerKind } from '../owners.ts';
import {
  type ControllerRevision,
  planRevision,
  type RevisionedSet,
  type RevisionPlan,
  surplusRevisions,
} from './plan.ts';

const Revisions = ControllerRevisions as unknown as Resource<ControllerRevision>;

/** Two templates have the same hash; the owner's collision count must go up before another try. */
export class RevisionCollisionError extends Error {
  override readonly name = 'RevisionCollisionError';
}

/** Keeps the history of DaemonSets and StatefulSets. */
export class RevisionControl {
  readonly #client: Client;
  readonly #revisionsOf: Controlled<ControllerRevision>;
  readonly #kind: OwnerKind;

  constructor(deps: { readonly client: Client; readonly informers: Informers }, kind: OwnerKind) {
    this.#client = deps.client;
    this.#revisionsOf = controlledBy(deps.informers.for(Revisions));
    this.#kind = kind;
  }

  /** The present revision, written. */
  async sync(set: RevisionedSet, collisionCount: number, signal: AbortSignal): Promise<RevisionPlan> {
    const plan = planRevision(set, this.#kind, this.#revisionsOf.of(set), collisionCount);
    if (plan.write === 'none') return plan;
    const current =
      plan.write === 'update'
        ? await this.#client.update(Revisions, plan.current, {}, signal)
        : await this.#create(set, plan.current, signal);
    return { ...plan, current };
  }

  /** Deletes old revisions beyond the set's limit; `live` are names and hashes that are in use. */
  async prune(set: RevisionedSet, plan: RevisionPlan, live: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    for (const { metadata } of surplusRevisions(set, plan.old, live)) {
      try {
        await this.#client.delete(Revisions, { name: metadata.name, namespace: metadata.namespace }, {}, signal);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  async #create(set: RevisionedSet, revision: ControllerRevision, signal: AbortSignal): Promise<ControllerRevision> {
    try {
      return await this.#client.create(Revisions, revision, {}, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const existing = await this.#client.get(Revisions, revision.metadata, signal);
    const isOurs = controllerOf(existing)?.uid === set.metadata.uid;
    if (isOurs && deepEqual(existing.data, revision.data)) return existing;
    throw new RevisionCollisionError(`revision ${revision.metadata.name} exists with other data`);
  }
}
