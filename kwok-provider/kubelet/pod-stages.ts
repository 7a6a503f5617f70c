import type { Pod } from '../../src/kube/objects.ts';
import { isActive, isOwnedBy, isReady, isTerminating } from '../../src/kube/pods.ts';
import type { NodeAgentOptions } from './options.ts';
import { endedStatus, podConditions, runningStatus, startingStatus } from './pod-status.ts';
import type { PodStage } from './stage.ts';

const STAGE_LABEL = 'kwok.x-k8s.io/stage';
const FAIL = 'pod-container-running-failed.stage.kwok.x-k8s.io';
const COMPLETE_DELAY = 'pod-complete.stage.kwok.x-k8s.io/delay';

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

function isRunning(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && !isTerminating(pod);
}

function startDelay(pod: Pod, options: NodeAgentOptions): number {
  const init = (pod.spec.initContainers ?? []).filter((container) => container.restartPolicy !== 'Always');
  return options.podStartMs + init.length * options.initContainerMs;
}

function graceOf(pod: Pod): number {
  const seconds = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
  return seconds * 1000;
}

/** The lives of fake pods, under the names (and with the labels and annotations) of kwok's own stages. */
export const POD_STAGES: readonly PodStage[] = [
  {
    name: 'pod-delete',
    applies: isTerminating,
    delay: (pod, options) => (options.liveOutGrace ? graceOf(pod) : Math.min(options.podStopMs, graceOf(pod))),
    since: (pod) => {
      const end = timeOf(pod.metadata.deletionTimestamp);
      return end === undefined ? undefined : end - graceOf(pod);
    },
    next: () => 'deleted',
  },
  {
    name: 'pod-deadline',
    applies: (pod) => isActive(pod) && pod.spec.activeDeadlineSeconds !== undefined && Boolean(pod.status?.startTime),
    delay: (pod) => (pod.spec.activeDeadlineSeconds ?? 0) * 1000,
    since: (pod) => timeOf(pod.status?.startTime),
    next: (pod, { now }) => ({
      ...endedStatus(pod, 'Failed', { exitCode: 137, reason: 'Error' }, now),
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    }),
  },
  {
    name: 'pod-unhealthy',
    applies: (pod) => isStarting(pod) && isUnhealthy(pod) && pod.status?.podIP === undefined,
    delay: () => 0,
    next: (pod, context) => runningStatus(pod, context, false),
  },
  {
    name: 'pod-create',
    applies: (pod, options) =>
      isStarting(pod) && !isUnhealthy(pod) && pod.status?.podIP === undefined && startDelay(pod, options) > 0,
    delay: () => 0,
    next: startingStatus,
  },
  {
    name: 'pod-ready',
    applies: (pod) => isStarting(pod) && !isUnhealthy(pod),
    delay: startDelay,
    next: (pod, context) => runningStatus(pod, context),
  },
  {
    name: 'pod-recover',
    // The node controller took Ready away while the node was not well.
    applies: (pod, _, nodeReady) => isRunning(pod) && nodeReady && !isReady(pod),
    delay: () => 0,
    next: (pod, { now }) => ({
      ...pod.status,
      conditions: podConditions(pod, { initialized: true, containersReady: true, ready: true }, now),
    }),
  },
  {
    name: 'pod-container-running-failed',
    applies: (pod) => isRunning(pod) && pod.metadata.labels?.[FAIL] === 'true',
    delay: () => 1_000,
    since: (pod) => timeOf(pod.status?.startTime),
    next: (pod, { now }) => {
      const annotations = pod.metadata.annotations ?? {};
      const only = annotations[`${FAIL}/container-name`];
      const exit = {
        exitCode: Number(annotations[`${FAIL}/exit-code`] ?? 1),
        reason: annotations[`${FAIL}/reason`] ?? 'containerFailed',
        message: annotations[`${FAIL}/message`] ?? 'container failed',
      };
      return endedStatus(pod, 'Failed', exit, now, (name) => only === undefined || only === name);
    },
  },
  {
    name: 'pod-complete',
    applies: (pod) =>
      isRunning(pod) && (isOwnedBy(pod, 'Job', 'batch') || pod.metadata.annotations?.[COMPLETE_DELAY] !== undefined),
    delay: (_, options) => options.jobPodMs,
    since: (pod) => timeOf(pod.status?.startTime),
    next: (pod, { now }) => endedStatus(pod, 'Succeeded', { exitCode: 0, reason: 'Completed' }, now),
  },
];

function isUnhealthy(pod: Pod): boolean {
  return pod.metadata.labels?.[STAGE_LABEL] === 'unhealthy';
}

function isStarting(pod: Pod): boolean {
  return (pod.status?.phase ?? 'Pending') === 'Pending' && !isTerminating(pod);
}
