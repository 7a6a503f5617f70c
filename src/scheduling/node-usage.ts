import type { Pod } from '../kube/objects.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { isTerminal } from '../kube/pods.ts';
import type { NodeUsage } from './existing-node.ts';
import { hostPorts } from './host-ports.ts';
import { isOwnedByDaemonSet } from './pod-lifecycle.ts';
import type { Resources } from './resources.ts';
import type { Volumes } from './volumes.ts';

const NOTHING: NodeUsage = { requests: {}, daemonRequests: {}, ports: [], volumes: new Map() };

/** What bound pods use, per node name; pods that have ended use nothing, terminating ones still do. */
export function nodeUsage(pods: readonly Pod[], volumes: Volumes): (nodeName: string) => NodeUsage {
  const byNode = Map.groupBy(
    pods.filter((pod) => pod.spec.nodeName && !isTerminal(pod)),
    (pod) => pod.spec.nodeName ?? '',
  );
  return (name) => {
    const bound = byNode.get(name);
    return bound ? usageOf(bound, volumes) : NOTHING;
  };
}

function usageOf(pods: readonly Pod[], volumes: Volumes): NodeUsage {
  const requests: Record<string, number> = {};
  const daemonRequests: Record<string, number> = {};
  const byDriver = new Map<string, Set<string>>();
  for (const pod of pods) {
    const own = { ...podRequests(pod), pods: 1000 };
    accumulate(requests, own);
    if (isOwnedByDaemonSet(pod)) accumulate(daemonRequests, own);
    if (!pod.spec.volumes?.length) continue;
    for (const [driver, claims] of volumes.attached(pod)) {
      byDriver.set(driver, new Set([...(byDriver.get(driver) ?? []), ...claims]));
    }
  }
  return { requests, daemonRequests, ports: pods.flatMap(hostPorts), volumes: byDriver };
}

function accumulate(sum: Record<string, number>, added: Resources): void {
  for (const name in added) sum[name] = (sum[name] ?? 0) + (added[name] ?? 0);
}
