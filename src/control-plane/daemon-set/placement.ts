import { matchesNode } from '../../kube/node-affinity.ts';
import type { DaemonSet, Node } from '../../kube/objects.ts';
import { untoleratedTaint } from '../../kube/taints.ts';
import { daemonSpec } from './pod.ts';

/** `run`: a pod belongs there. `stay`: none is started, but a running one is left alone. `leave`: none belongs there. */
export type Placement = 'run' | 'stay' | 'leave';

/** Says for each node whether the daemon runs there (upstream's NodeShouldRunDaemonPod). */
export function placementOf(set: DaemonSet): (node: Node) => Placement {
  const spec = daemonSpec(set);
  return (node) => {
    if (spec.nodeName && spec.nodeName !== node.metadata.name) return 'leave';
    if (!matchesNode(spec, node)) return 'leave';
    const { taints } = node.spec;
    if (untoleratedTaint(taints, spec.tolerations, ['NoExecute'])) return 'leave';
    return untoleratedTaint(taints, spec.tolerations, ['NoSchedule']) ? 'stay' : 'run';
  };
}
