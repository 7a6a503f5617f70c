import type { Pod } from '../kube/objects.ts';
import { isTerminal, isTerminating } from '../kube/pods.ts';
import { isVirtualPod } from '../scheduling/buffers/virtual-pods.ts';
import { isOwnedByDaemonSet, isOwnedByNode, isProvisionable } from '../scheduling/pod-lifecycle.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { PodError, Results } from '../scheduling/types.ts';
import { podName } from './plan-report.ts';

/** Names shown of each cause; the number is complete. */
const EXAMPLES = 5;

/** Pending pods that wait for the same thing. */
export interface PendingCause {
  /**
   * A reason code of the packer; `NewNode` and `ExistingNode` when there is a place for the pod; `SchedulingGated`, `DaemonSet`,
   * `StaticPod`, `Preemption` and `NotRefusedYet` for pods that Karpenter leaves to others.
   */
  readonly code: string;
  readonly message: string;
  readonly count: number;
  /** `ns/name`, the first few. */
  readonly pods: readonly string[];
}

interface Cause {
  readonly code: string;
  readonly message: string;
  /** Pods whose causes have the same key are counted together. */
  readonly key: string;
}

/** Every pending pod by what it waits for, most pods first; not those that only stand for the room of a buffer. */
export function pendingCauses(results: Results, pods: readonly Pod[]): readonly PendingCause[] {
  const groups = new Map<string, Omit<Cause, 'key'> & { readonly names: string[] }>();
  const add = ({ key, code, message }: Cause, pod: Pod): void => {
    // Pods on nodes that go away are placed along, but wait for nothing yet.
    if (isVirtualPod(pod) || pod.spec.nodeName) return;
    const group = groups.get(`${code} ${key}`) ?? { code, message, names: [] };
    group.names.push(podName(pod));
    groups.set(`${code} ${key}`, group);
  };
  for (const [pod, error] of results.podErrors) add(causeOf(error), pod);
  for (const { nodePool, pods: placed } of results.newNodeClaims) {
    const { name } = nodePool.metadata;
    const cause = { code: 'NewNode', message: `a new node of NodePool "${name}" will take it`, key: name };
    for (const pod of placed) add(cause, pod);
  }
  const existing = roomCause(results);
  for (const { pods: placed } of results.existingNodes) for (const pod of placed) add(existing, pod);
  for (const pod of pods) {
    const cause = leftToOthers(pod);
    if (cause) add(cause, pod);
  }
  return [...groups.values()]
    .map(({ code, message, names }) => ({
      code,
      message,
      count: names.length,
      pods: names.sort().slice(0, EXAMPLES),
    }))
    .sort((a, b) => b.count - a.count || (a.message < b.message ? -1 : 1));
}

const NOT_REACHED = 'a pass had no time left for them; the next one begins with them';

/** By the first rule of the nearest pool; what the rule has counted differs from pod to pod and is left out. */
function causeOf({ code, message, targets = [] }: PodError): Cause {
  if (code === 'NotReached') return { code, message: NOT_REACHED, key: '' };
  const pool = targets.find(({ kind }) => kind === 'NodePool');
  const reason = pool?.reasons[0];
  if (!pool || !reason) return { code, message, key: message };
  const short = reason.message.replace(/, requirements=.*$/s, '').replace(/ \(counts = .*$/s, '');
  const key = `${pool.name} ${reason.subject ?? ''} ${reason.topology ? '' : short}`;
  return { code: reason.code, message: `NodePool "${pool.name}": ${short}`, key };
}

function roomCause({ existingNodes }: Results): Cause {
  const [first, ...others] = existingNodes.filter(({ pods }) => pods.some(({ spec }) => !spec.nodeName));
  const name = first ? stateNodeName(first.node) : '';
  const joined = first?.node.node ? `node "${name}"` : `NodeClaim "${name}", once it has joined,`;
  const message = others.length > 0 ? `${joined} and ${others.length} others have room` : `${joined} has room`;
  return { code: 'ExistingNode', message, key: '' };
}

/** Why no pass looks at a pod that has no node; undefined for one that has, or that a pass does look at. */
function leftToOthers(pod: Pod): Cause | undefined {
  if (pod.spec.nodeName || isTerminal(pod) || isTerminating(pod) || isProvisionable(pod)) return undefined;
  const cause = (code: string, message: string): Cause => ({ code, message, key: '' });
  if (pod.spec.schedulingGates?.length) return cause('SchedulingGated', 'held back by scheduling gates');
  if (isOwnedByDaemonSet(pod)) return cause('DaemonSet', 'waits for room on its own node');
  if (isOwnedByNode(pod)) return cause('StaticPod', 'belongs to its node');
  if (pod.status?.nominatedNodeName) return cause('Preemption', 'the scheduler is making room for it');
  return cause('NotRefusedYet', 'the scheduler has not refused it yet');
}
