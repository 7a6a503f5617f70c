import type { Pod } from '../kube/objects.ts';
import { isVirtualPod } from '../scheduling/buffers/virtual-pods.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { Results } from '../scheduling/types.ts';
import { nearestMiss } from './nearest-miss.ts';
import { podName } from './plan-report.ts';

/** Names shown of each cause; the number is complete. */
const EXAMPLES = 5;

const NOT_REACHED = 'a pass had no time left for them; the next one begins with them';

/** Pending pods that wait for the same thing. */
export interface PendingCause {
  /** A reason code of the packer; `NewNode` and `ExistingNode` when there is a place for the pod. */
  readonly code: string;
  readonly message: string;
  readonly count: number;
  /** `ns/name`, the first few. */
  readonly pods: readonly string[];
}

/** Pending pods by what they wait for, most pods first; not those that only stand for the room of a buffer. */
export function pendingCauses(results: Results): readonly PendingCause[] {
  const groups = new Map<string, { code: string; message: string; pods: string[] }>();
  const add = (code: string, message: string, pod: Pod): void => {
    if (isVirtualPod(pod)) return;
    const key = `${code} ${message}`;
    const group = groups.get(key) ?? { code, message, pods: [] };
    group.pods.push(podName(pod));
    groups.set(key, group);
  };
  for (const [pod, error] of results.podErrors) {
    if (error.code === 'NotReached') {
      add(error.code, NOT_REACHED, pod);
      continue;
    }
    const { nodePool, code, message } = nearestMiss(error);
    add(code, nodePool ? `NodePool "${nodePool}": ${message}` : message, pod);
  }
  for (const { nodePool, pods } of results.newNodeClaims) {
    for (const pod of pods) add('NewNode', `a new node of NodePool "${nodePool.metadata.name}" will take it`, pod);
  }
  for (const { node, pods } of results.existingNodes) {
    const where = node.node
      ? `node "${stateNodeName(node)}"`
      : `NodeClaim "${stateNodeName(node)}", once it has joined,`;
    for (const pod of pods) add('ExistingNode', `${where} has room`, pod);
  }
  return [...groups.values()]
    .map(({ code, message, pods }) => ({ code, message, count: pods.length, pods: pods.sort().slice(0, EXAMPLES) }))
    .sort((a, b) => b.count - a.count || (a.message < b.message ? -1 : 1));
}
