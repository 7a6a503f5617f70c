import type { Deployment, ReplicaSet } from '../../kube/objects.ts';
import type { NewEvent } from '../recorder.ts';
import {
  DESIRED_REPLICAS,
  type DeploymentCondition,
  desiredReplicas,
  MAX_REPLICAS,
  maxSurge,
  specReplicas,
  statusOf,
} from './rollout.ts';

/** What one look at a Deployment leads to, in the order in which it is to be written. */
export interface DeploymentPlan {
  readonly create: ReplicaSet | undefined;
  /** Whole objects, with the resource version they were read at. */
  readonly update: readonly ReplicaSet[];
  readonly remove: readonly ReplicaSet[];
  /** The revision annotation, when it must change. */
  readonly revision: string | undefined;
  readonly status: Readonly<Record<string, unknown>>;
  readonly events: readonly NewEvent[];
  /** Look again after so many milliseconds, even if nothing changes: for the progress deadline. */
  readonly again: number | undefined;
}

/** The ReplicaSets as they will be, while the steps of a rollout are being worked out. */
export class RolloutDraft {
  readonly deployment: Deployment;
  readonly events: NewEvent[] = [];
  readonly remove: ReplicaSet[] = [];
  create: ReplicaSet | undefined;
  revision: string | undefined;
  conditions: readonly DeploymentCondition[];
  readonly #changed = new Map<string, ReplicaSet>();

  constructor(deployment: Deployment) {
    this.deployment = deployment;
    this.conditions = statusOf(deployment).conditions ?? [];
  }

  get update(): readonly ReplicaSet[] {
    return [...this.#changed.values()];
  }

  /** The ReplicaSet with the changes made so far. */
  current(set: ReplicaSet): ReplicaSet {
    return this.#changed.get(set.metadata.name) ?? set;
  }

  put(set: ReplicaSet): void {
    this.#changed.set(set.metadata.name, set);
  }

  /** Returns whether the size changes; the annotations that tell the Deployment's size are written along. */
  scale(set: ReplicaSet, replicas: number, force = false): boolean {
    const now = this.current(set);
    const before = specReplicas(now);
    if (before === replicas && !force) return false;
    const sized = withSizeAnnotations(this.deployment, now);
    if (before === replicas && sized === now) return false;
    this.put({ ...sized, spec: { ...sized.spec, replicas } });
    if (before === replicas) return false;
    this.events.push({
      type: 'Normal',
      reason: 'ScalingReplicaSet',
      message: `Scaled ${before < replicas ? 'up' : 'down'} replica set ${set.metadata.name} from ${before} to ${replicas}`,
    });
    return true;
  }
}

export function withSizeAnnotations(deployment: Deployment, set: ReplicaSet): ReplicaSet {
  const desired = String(desiredReplicas(deployment));
  const max = String(desiredReplicas(deployment) + maxSurge(deployment));
  const annotations = set.metadata.annotations ?? {};
  if (annotations[DESIRED_REPLICAS] === desired && annotations[MAX_REPLICAS] === max) return set;
  return {
    ...set,
    metadata: { ...set.metadata, annotations: { ...annotations, [DESIRED_REPLICAS]: desired, [MAX_REPLICAS]: max } },
  };
}
