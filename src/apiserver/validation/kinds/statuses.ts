import { asNumber, asObject } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { nonNegative } from '../numbers.ts';

/** Counts that a workload's status gives, and how they must fit together. */
export interface StatusCounts {
  readonly counts: readonly string[];
  /** Counts that can't be more than `replicas`. */
  readonly partial: readonly string[];
  /** What is said of more available replicas than ready ones; nothing is said where it is missing. */
  readonly availableWords?: string;
}

const TIMES = ['observedGeneration', 'collisionCount'];

export const DEPLOYMENT: StatusCounts = {
  counts: ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas', ...TIMES],
  partial: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  availableWords: 'cannot be greater than readyReplicas',
};

export const REPLICA_SET: StatusCounts = {
  counts: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
  partial: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  availableWords: 'cannot be greater than readyReplicas',
};

export const STATEFUL_SET: StatusCounts = {
  counts: ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas', ...TIMES],
  partial: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
  availableWords: 'cannot be greater than status.readyReplicas',
};

export const DAEMON_SET: StatusCounts = {
  counts: [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    ...TIMES,
  ],
  partial: [],
};

export const validateCounts =
  ({ counts, partial, availableWords }: StatusCounts) =>
  (object: JsonObject): readonly FieldError[] => {
    const status = asObject(object.status);
    const replicas = asNumber(status.replicas);
    const [available, ready] = [asNumber(status.availableReplicas), asNumber(status.readyReplicas)];
    return [
      ...counts.flatMap((name) => nonNegative(`status.${name}`, status[name])),
      ...partial
        .filter((name) => asNumber(status[name]) > replicas)
        .map((name) =>
          field.invalid(`status.${name}`, asNumber(status[name]), 'cannot be greater than status.replicas'),
        ),
      ...(availableWords !== undefined && available > ready
        ? [field.invalid('status.availableReplicas', available, availableWords)]
        : []),
    ];
  };
