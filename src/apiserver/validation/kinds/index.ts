import { validatePod, validatePodStatus, validatePodUpdate } from '../pods/pod.ts';
import { podWarnings } from '../pods/pod-warnings.ts';
import { cronJob, job } from './jobs.ts';
import type { Particulars } from './kind-rules.ts';
import {
  controllerRevision,
  daemonSet,
  deployment,
  podTemplate,
  replicaSet,
  replicationController,
  statefulSet,
} from './workloads.ts';

const pod: Particulars = {
  create: validatePod,
  update: validatePodUpdate,
  status: validatePodStatus,
  warnings: (object) => podWarnings('', object),
};

/** What is particular about validating each built-in kind, by `group/version/Kind` (the core group is empty). */
const PARTICULARS: Readonly<Record<string, Particulars>> = {
  '/v1/Pod': pod,
  '/v1/PodTemplate': podTemplate,
  '/v1/ReplicationController': replicationController,
  'apps/v1/ControllerRevision': controllerRevision,
  'apps/v1/DaemonSet': daemonSet,
  'apps/v1/Deployment': deployment,
  'apps/v1/ReplicaSet': replicaSet,
  'apps/v1/StatefulSet': statefulSet,
  'batch/v1/CronJob': cronJob,
  'batch/v1/Job': job,
};

const NOTHING: Particulars = {};

export const particularsOf = (group: string, version: string, kind: string): Particulars =>
  PARTICULARS[`${group}/${version}/${kind}`] ?? NOTHING;
