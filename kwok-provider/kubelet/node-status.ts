import { findCondition } from '../../src/kube/conditions.ts';
import type { Condition, Node } from '../../src/kube/objects.ts';
import { formatTimestamp } from '../../src/kube/timestamp.ts';

/** kwok's chaos stage: such a node reports that it is not ready. */
export const NOT_READY_LABEL = 'node-not-ready.stage.kwok.x-k8s.io';

/** What a node has that says nothing of its size; kwok's defaults. */
const UNLIMITED = { cpu: '1k', memory: '1Ti', pods: '1M' };
const VERSION = 'v1.36.3';

const HEALTHY: readonly Pick<Condition, 'type' | 'status' | 'reason' | 'message'>[] = [
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  {
    type: 'NetworkUnavailable',
    status: 'False',
    reason: 'RouteCreated',
    message: 'RouteController created a route',
  },
];

/** The conditions a fake kubelet wants to report, given what the node's labels ask it to pretend. */
function wantedConditions(node: Node): typeof HEALTHY {
  if (node.metadata.labels?.[NOT_READY_LABEL] !== 'true') return HEALTHY;
  const annotations = node.metadata.annotations ?? {};
  const reason = annotations[`${NOT_READY_LABEL}/reason`] ?? 'nodeFailed';
  const message = annotations[`${NOT_READY_LABEL}/message`] ?? 'node failed';
  const broken = annotations[`${NOT_READY_LABEL}/type`];
  return HEALTHY.map((condition) => {
    if (condition.type === 'Ready') return { ...condition, status: 'False', reason, message };
    return condition.type === broken ? { ...condition, status: 'True', reason, message } : condition;
  });
}

/** Whether the node already says what its kubelet has to say, but for the time of the report. */
export function isReported(node: Node): boolean {
  return wantedConditions(node).every((wanted) =>
    node.status?.conditions?.some(
      ({ type, status, reason }) => type === wanted.type && status === wanted.status && reason === wanted.reason,
    ),
  );
}

/** When the kubelet last reported, in epoch milliseconds. */
export function lastHeartbeat(node: Node): number {
  const time = findCondition(node, 'Ready')?.lastHeartbeatTime;
  return time === undefined ? 0 : Date.parse(time);
}

/** The node's status as its kubelet reports it at `now`. */
export function reportedStatus(node: Node, ip: string, now: number): NonNullable<Node['status']> {
  const { status } = node;
  const addresses = status?.addresses ?? [];
  const has = (type: string): boolean => addresses.some((address) => address.type === type);
  return {
    ...status,
    capacity: status?.capacity ?? UNLIMITED,
    allocatable: status?.allocatable ?? status?.capacity ?? UNLIMITED,
    conditions: mergeConditions(status?.conditions ?? [], wantedConditions(node), now),
    addresses: [
      ...addresses,
      ...(has('InternalIP') ? [] : [{ type: 'InternalIP', address: ip }]),
      ...(has('Hostname') ? [] : [{ type: 'Hostname', address: node.metadata.name }]),
    ],
    nodeInfo: { ...nodeInfo(node), ...given(status?.nodeInfo) },
    phase: 'Running',
  };
}

function mergeConditions(before: readonly Condition[], wanted: typeof HEALTHY, now: number): readonly Condition[] {
  const time = formatTimestamp(now);
  const types = new Set(wanted.map(({ type }) => type));
  const reported = wanted.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : time;
    return { ...condition, lastHeartbeatTime: time, lastTransitionTime };
  });
  return [...reported, ...before.filter(({ type }) => !types.has(type))];
}

function nodeInfo(node: Node): Readonly<Record<string, string>> {
  const labels = node.metadata.labels ?? {};
  return {
    architecture: labels['kubernetes.io/arch'] ?? 'amd64',
    bootID: '',
    containerRuntimeVersion: 'kwok',
    kernelVersion: 'kwok',
    kubeProxyVersion: VERSION,
    kubeletVersion: VERSION,
    machineID: '',
    operatingSystem: labels['kubernetes.io/os'] ?? 'linux',
    osImage: 'kwok',
    systemUUID: '',
  };
}

/** The API fills the fields of nodeInfo with empty text; those say nothing. */
function given(info: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(info ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  return Object.fromEntries(entries);
}
