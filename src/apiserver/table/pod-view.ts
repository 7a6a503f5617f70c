import { asArray, asNumber, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { isDeleting, nameOf } from '../object-meta.ts';
import { ageOf } from './age.ts';
import { age, conditionOf, isTrue, NONE, orNone } from './cells.ts';
import { columns } from './columns.ts';
import type { TableView } from './table.ts';

/** Pods as kubectl shows them (kubernetes' pkg/printers, printPod). */
export const podView: TableView = {
  columns: columns(
    'Name/name',
    'Ready',
    'Status',
    'Restarts',
    'Age',
    'IP*',
    'Node*',
    'Nominated Node*',
    'Readiness Gates*',
  ),
  row: (pod, context) => {
    const { ready, total, reason, restarts, lastRestart } = summary(pod);
    const spec = asObject(pod.spec);
    const status = asObject(pod.status);
    const ago = restarts > 0 && lastRestart ? ` (${ageOf(lastRestart, context.now)} ago)` : '';
    const ip = asString(asObjects(status.podIPs)[0]?.ip);
    return [
      nameOf(pod),
      `${ready}/${total}`,
      reason,
      `${restarts}${ago}`,
      age(pod, context),
      ip || NONE,
      orNone(spec.nodeName),
      orNone(status.nominatedNodeName),
      readinessGates(pod),
    ];
  },
};

interface Summary {
  ready: number;
  total: number;
  reason: string;
  restarts: number;
  lastRestart: string;
}

function summary(pod: JsonObject): Summary {
  const spec = asObject(pod.spec);
  const status = asObject(pod.status);
  const phase = asString(status.phase);
  const sidecars = new Set(
    asObjects(spec.initContainers)
      .filter(isSidecar)
      .map(({ name }) => name),
  );
  const result: Summary = {
    ready: 0,
    total: asArray(spec.containers).length + sidecars.size,
    reason: asString(status.reason) || phase,
    restarts: 0,
    lastRestart: '',
  };
  if (conditionOf(pod, 'PodScheduled').reason === 'SchedulingGated') result.reason = 'SchedulingGated';
  const initializing = initContainers(pod, sidecars, result);
  if (!initializing || isTrue(pod, 'Initialized')) containers(pod, result);
  if (isDeleting(pod)) {
    if (status.reason === 'NodeLost') result.reason = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') result.reason = 'Terminating';
  }
  return result;
}

const isSidecar = (container: JsonObject): boolean => container.restartPolicy === 'Always';
const later = (a: string, b: unknown): string => (asString(b) > a ? asString(b) : a);
const lastEnd = (container: JsonObject): unknown => asObject(asObject(container.lastState).terminated).finishedAt;

/** Whether the pod is still initializing, which its reason then says. Sidecars' restarts are what remains counted. */
function initContainers(pod: JsonObject, sidecars: ReadonlySet<unknown>, result: Summary): boolean {
  const status = asObject(pod.status);
  const total = asArray(asObject(pod.spec).initContainers).length;
  const own = { restarts: 0, lastRestart: '' };
  let initializing = false;
  for (const [index, container] of asObjects(status.initContainerStatuses).entries()) {
    result.restarts += asNumber(container.restartCount);
    result.lastRestart = later(result.lastRestart, lastEnd(container));
    const sidecar = sidecars.has(container.name);
    if (sidecar) {
      own.restarts += asNumber(container.restartCount);
      own.lastRestart = later(own.lastRestart, lastEnd(container));
    }
    const state = asObject(container.state);
    const terminated = state.terminated === undefined ? undefined : asObject(state.terminated);
    if (terminated && asNumber(terminated.exitCode) === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready === true) result.ready++;
      continue;
    }
    const waiting = asString(asObject(state.waiting).reason);
    initializing = true;
    if (terminated) result.reason = `Init:${asString(terminated.reason) || ending(terminated)}`;
    else if (waiting && waiting !== 'PodInitializing') result.reason = `Init:${waiting}`;
    else result.reason = `Init:${index}/${total}`;
    break;
  }
  if (!initializing || isTrue(pod, 'Initialized')) Object.assign(result, own);
  return initializing;
}

const ending = (terminated: JsonObject): string =>
  terminated.signal ? `Signal:${String(terminated.signal)}` : `ExitCode:${asNumber(terminated.exitCode)}`;

function containers(pod: JsonObject, result: Summary): void {
  let running = false;
  for (const container of [...asObjects(asObject(pod.status).containerStatuses)].reverse()) {
    result.restarts += asNumber(container.restartCount);
    result.lastRestart = later(result.lastRestart, lastEnd(container));
    const state = asObject(container.state);
    const waiting = asString(asObject(state.waiting).reason);
    if (waiting) result.reason = waiting;
    else if (state.terminated !== undefined) {
      const terminated = asObject(state.terminated);
      result.reason = asString(terminated.reason) || ending(terminated);
    } else if (container.ready === true && state.running !== undefined) {
      running = true;
      result.ready++;
    }
  }
  if (result.reason === 'Completed' && running) result.reason = isTrue(pod, 'Ready') ? 'Running' : 'NotReady';
}

function readinessGates(pod: JsonObject): string {
  const gates = asObjects(asObject(pod.spec).readinessGates);
  if (gates.length === 0) return NONE;
  const met = gates.filter(({ conditionType }) => isTrue(pod, asString(conditionType)));
  return `${met.length}/${gates.length}`;
}
