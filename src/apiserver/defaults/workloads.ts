import { asObject } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { type Completion, each, fill, within } from './fill.ts';
import { completePodTemplate } from './pods.ts';

/** apps/v1 (pkg/apis/apps/v1/defaults.go). */

const template = (spec: JsonObject): JsonObject => within(spec, 'template', completePodTemplate);

const rolling = (strategy: JsonObject, defaults: JsonObject): JsonObject => {
  const typed = fill(strategy, { type: 'RollingUpdate' });
  return typed.type === 'RollingUpdate' ? within(typed, 'rollingUpdate', (part) => fill(part, defaults)) : typed;
};

export const completeDeployment: Completion = (deployment) =>
  within(deployment, 'spec', (spec) => {
    const filled = fill(template(spec), { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    return within(filled, 'strategy', (strategy) => rolling(strategy, { maxUnavailable: '25%', maxSurge: '25%' }));
  });

export const completeReplicaSet: Completion = (set) =>
  within(set, 'spec', (spec) => fill(template(spec), { replicas: 1 }));

export const completeDaemonSet: Completion = (set) =>
  within(set, 'spec', (spec) => {
    const filled = fill(template(spec), { revisionHistoryLimit: 10 });
    return within(filled, 'updateStrategy', (strategy) => rolling(strategy, { maxUnavailable: 1, maxSurge: 0 }));
  });

const claimTemplate: Completion = (claim) =>
  within(
    within(fill(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' }), 'spec', (spec) =>
      fill(spec, { volumeMode: 'Filesystem' }),
    ),
    'status',
    (status) => fill(status, { phase: 'Pending' }),
  );

export const completeStatefulSet: Completion = (set) =>
  within(set, 'spec', (spec) => {
    const filled = fill(template(spec), {
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: {},
    });
    const kept = within(filled, 'persistentVolumeClaimRetentionPolicy', (policy) =>
      fill(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
    );
    const updated = within(kept, 'updateStrategy', (strategy) => rolling(strategy, { partition: 0 }));
    return each(updated, 'volumeClaimTemplates', claimTemplate);
  });

/** Labels and selector of a ReplicationController are those of its template. */
export const completeReplicationController: Completion = (controller) => {
  const specified = within(controller, 'spec', (spec) => fill(template(spec), { replicas: 1 }));
  const spec = asObject(specified.spec);
  const labels = asObject(asObject(asObject(spec.template).metadata).labels);
  if (Object.keys(labels).length === 0) return specified;
  const selected = within(specified, 'spec', (inner) => fill(inner, { selector: labels }));
  return within(selected, 'metadata', (meta) => fill(meta, { labels }));
};

export const completePodTemplateObject: Completion = (object) => within(object, 'template', completePodTemplate);

const jobSpec: Completion = (spec) => {
  const once = spec.completions === undefined && spec.parallelism === undefined;
  return fill(template(spec), {
    ...(once ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  });
};

export const completeJob: Completion = (job) => {
  const specified = within(job, 'spec', jobSpec);
  const labels = asObject(asObject(asObject(asObject(specified.spec).template).metadata).labels);
  return Object.keys(labels).length === 0 ? specified : within(specified, 'metadata', (meta) => fill(meta, { labels }));
};

export const completeCronJob: Completion = (job) =>
  within(job, 'spec', (spec) => {
    const filled = fill(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    return within(filled, 'jobTemplate', (part) => within(part, 'spec', template));
  });
