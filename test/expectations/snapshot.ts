import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { Event, Node, Pod } from '../../src/kube/objects.ts';
import { Events, NodeClaims, Nodes, Pods } from '../../src/kube/resources.ts';
import type { TestEnvironment } from '../environment.ts';

/** Everything that the controller has a hand in, at one moment. */
export interface Snapshot {
  readonly claims: readonly NodeClaim[];
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
}

export async function snapshot({ client }: TestEnvironment): Promise<Snapshot> {
  const [claims, nodes, pods] = await Promise.all([client.list(NodeClaims), client.list(Nodes), client.list(Pods)]);
  return { claims: claims.items, nodes: nodes.items, pods: pods.items };
}

/** Events so far, as `kind reason`, each once, in order. */
export async function eventsSoFar({ client }: TestEnvironment): Promise<readonly string[]> {
  const { items } = await client.list(Events);
  return [...new Set(items.map((event: Event) => `${event.involvedObject.kind} ${event.reason}`))];
}

export const running = ({ pods }: Snapshot): number => pods.filter((pod) => pod.status?.phase === 'Running').length;

export const conditionsOf = (claim: NodeClaim): readonly string[] =>
  (claim.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`).sort();
