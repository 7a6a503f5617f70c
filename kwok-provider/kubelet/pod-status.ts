import type { Condition, Container, ContainerStatus, Pod, PodStatus } from '../../src/kube/objects.ts';
import { formatTimestamp } from '../../src/kube/timestamp.ts';
import type { StageContext } from './stage.ts';

interface PodConditions {
  readonly initialized: boolean;
  readonly containersReady: boolean;
  readonly ready: boolean;
  /** Why it isn't ready: ContainersNotReady, or PodCompleted. */
  readonly reason?: string;
}

/** The pod's conditions as its kubelet sets them; those of others (PodScheduled, DisruptionTarget) stay. */
export function podConditions(pod: Pod, wanted: PodConditions, now: number): readonly Condition[] {
  const time = formatTimestamp(now);
  const names = pod.spec.containers.map(({ name }) => name).join(' ');
  const message = wanted.reason === 'ContainersNotReady' ? `containers with unready status: [${names}]` : undefined;
  const why = wanted.reason === undefined ? {} : { reason: wanted.reason, ...(message ? { message } : {}) };
  const conditions: Condition[] = [
    { type: 'PodReadyToStartContainers', status: 'True' },
    { type: 'Initialized', status: statusOf(wanted.initialized), ...(wanted.initialized ? {} : notInitialized(pod)) },
    { type: 'Ready', status: statusOf(wanted.ready), ...(wanted.ready ? {} : why) },
    { type: 'ContainersReady', status: statusOf(wanted.containersReady), ...(wanted.containersReady ? {} : why) },
    ...readinessGates(pod),
  ];
  if (!pod.status?.conditions?.some(({ type }) => type === 'PodScheduled')) {
    conditions.push({ type: 'PodScheduled', status: 'True' });
  }
  const types = new Set(conditions.map(({ type }) => type));
  const before = pod.status?.conditions ?? [];
  return [
    ...conditions.map((condition) => {
      const old = before.find(({ type }) => type === condition.type);
      return { ...condition, lastTransitionTime: old?.status === condition.status ? old.lastTransitionTime : time };
    }),
    ...before.filter(({ type }) => !types.has(type)),
  ];
}

function statusOf(value: boolean): Condition['status'] {
  return value ? 'True' : 'False';
}

function notInitialized(pod: Pod): Pick<Condition, 'reason' | 'message'> {
  const names = (pod.spec.initContainers ?? []).map(({ name }) => name).join(' ');
  return { reason: 'ContainersNotInitialized', message: `containers with incomplete status: [${names}]` };
}

function readinessGates(pod: Pod): readonly Condition[] {
  const { readinessGates: gates = [] } = pod.spec as {
    readonly readinessGates?: readonly { readonly conditionType: string }[];
  };
  return gates.map(({ conditionType }) => ({ type: conditionType, status: 'True' }));
}

function container({ name, image }: Container, state: Partial<ContainerStatus>): ContainerStatus {
  return { name, image: image ?? '', imageID: '', restartCount: 0, ready: false, started: false, ...state };
}

function waiting(reason: string): Partial<ContainerStatus> {
  return { state: { waiting: { reason } } };
}

function running(now: number): Partial<ContainerStatus> {
  return { ready: true, started: true, state: { running: { startedAt: formatTimestamp(now) } } };
}

export interface Exit {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
}

function terminated(exit: Exit, startedAt: string, now: number): Partial<ContainerStatus> {
  return { state: { terminated: { ...exit, startedAt, finishedAt: formatTimestamp(now) } } };
}

function placed(pod: Pod, { now, hostIp, podIp }: StageContext): PodStatus {
  const ips = { hostIPs: [{ ip: hostIp }], podIPs: [{ ip: podIp }] };
  return {
    ...pod.status,
    hostIP: hostIp,
    podIP: podIp,
    ...ips,
    startTime: pod.status?.startTime ?? formatTimestamp(now),
  };
}

/** Accepted by the node, containers not yet running. */
export function startingStatus(pod: Pod, context: StageContext): PodStatus {
  const init = pod.spec.initContainers ?? [];
  const reason = init.length > 0 ? 'PodInitializing' : 'ContainerCreating';
  const unready = { containersReady: false, ready: false, reason: 'ContainersNotReady' };
  return {
    ...placed(pod, context),
    phase: 'Pending',
    conditions: podConditions(pod, { initialized: init.length === 0, ...unready }, context.now),
    ...(init.length > 0 ? { initContainerStatuses: init.map((c) => container(c, waiting(reason))) } : {}),
    containerStatuses: pod.spec.containers.map((c) => container(c, waiting(reason))),
  };
}

/** All containers run; init containers have run, sidecars still do. */
export function runningStatus(pod: Pod, context: StageContext, ready = true): PodStatus {
  const { now } = context;
  const done = { exitCode: 0, reason: 'Completed' };
  const startedAt = pod.status?.startTime ?? formatTimestamp(now);
  const init = (pod.spec.initContainers ?? []).map((c) =>
    container(c, c.restartPolicy === 'Always' ? running(now) : { ready: true, ...terminated(done, startedAt, now) }),
  );
  return {
    ...placed(pod, context),
    phase: ready ? 'Running' : 'Unknown',
    conditions: podConditions(pod, { initialized: true, containersReady: true, ready }, now),
    ...(init.length > 0 ? { initContainerStatuses: init } : {}),
    containerStatuses: pod.spec.containers.map((c) => container(c, running(now))),
  };
}

/** Containers have ended; those that `ended` leaves out run on. */
export function endedStatus(
  pod: Pod,
  phase: 'Succeeded' | 'Failed',
  exit: Exit,
  now: number,
  ended: (name: string) => boolean = () => true,
): PodStatus {
  const startedAt = pod.status?.startTime ?? formatTimestamp(now);
  const reason = phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed';
  return {
    ...pod.status,
    phase,
    conditions: podConditions(pod, { initialized: true, containersReady: false, ready: false, reason }, now),
    containerStatuses: pod.spec.containers.map((c) =>
      container(c, ended(c.name) ? terminated(exit, startedAt, now) : running(now)),
    ),
  };
}
