import type { Container, Job, Pod } from '../../kube/objects.ts';
import { isTerminating } from '../../kube/pods.ts';
import { podFromTemplate } from '../pod-from-template.ts';

const JOB_KIND = { group: 'batch', version: 'v1', kind: 'Job' };
/** Keeps a finished pod until the Job has counted it. */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';

export function isIndexed(job: Job): boolean {
  return job.spec.completionMode === 'Indexed';
}

export function completionIndex(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[COMPLETION_INDEX];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

export function isTracked(pod: Pod): boolean {
  return pod.metadata.finalizers?.includes(TRACKING_FINALIZER) === true;
}

export function hasSucceeded(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded';
}

/** A deleted pod counts as failed too, since it may never get to say how it ended. */
export function hasFailed(pod: Pod): boolean {
  return pod.status?.phase === 'Failed' || (isTerminating(pod) && !hasSucceeded(pod));
}

export function isRunning(pod: Pod): boolean {
  return !hasSucceeded(pod) && !hasFailed(pod);
}

/** A pod of the Job; with an index for Indexed Jobs. */
export function jobPod(job: Job, index?: number): Pod {
  const { template } = job.spec;
  const uid = job.metadata.uid ?? '';
  const labels: Record<string, string> = {
    'controller-uid': uid,
    'job-name': job.metadata.name,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': job.metadata.name,
    ...template.metadata?.labels,
  };
  const annotations: Record<string, string> = { ...template.metadata?.annotations };
  if (index !== undefined) {
    labels[COMPLETION_INDEX] = String(index);
    annotations[COMPLETION_INDEX] = String(index);
  }
  const metadata = { ...template.metadata, labels, annotations, finalizers: [TRACKING_FINALIZER] };
  const spec = index === undefined ? template.spec : withIndex(job, index);
  const generateName = index === undefined ? `${job.metadata.name}-` : `${job.metadata.name}-${index}-`;
  return podFromTemplate(job, JOB_KIND, { ...template, metadata, spec }, { generateName });
}

function withIndex(job: Job, index: number): Job['spec']['template']['spec'] {
  const { spec } = job.spec.template;
  const add = (container: Container): Container => {
    const { env = [] } = container as { readonly env?: readonly unknown[] };
    const fieldPath = `metadata.annotations['${COMPLETION_INDEX}']`;
    const variable = { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } };
    return { ...container, ...{ env: [...env, variable] } };
  };
  return {
    ...spec,
    ...{ hostname: `${job.metadata.name}-${index}` },
    containers: spec.containers.map(add),
    ...(spec.initContainers ? { initContainers: spec.initContainers.map(add) } : {}),
  };
}
