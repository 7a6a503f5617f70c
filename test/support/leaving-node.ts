/** One node with what is put on it, on its way out: what the tests of termination start from. */
import { ANNOTATION_DO_NOT_DISRUPT } from '../../src/apis/labels.ts';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { Event, Node, Pod, PodDisruptionBudget } from '../../src/kube/objects.ts';
import { Events, NodeClaims, Nodes, Pods } from '../../src/kube/resources.ts';
import type { TestEnvironment } from '../environment.ts';
import { applied, eventually, type Snapshot } from '../expectations/index.ts';
import { nodeClaim, type Overrides, pod } from '../factories/index.ts';

export class LeavingNode {
  readonly #env: TestEnvironment;
  readonly nodeName: string;
  readonly claimName: string;

  private constructor(env: TestEnvironment, nodeName: string, claimName: string) {
    this.#env = env;
    this.nodeName = nodeName;
    this.claimName = claimName;
  }

  /** Brings up one node; it reports ready if there is a kubelet for it. The operator runs already. */
  static async start(
    env: TestEnvironment,
    spec: Overrides<NodeClaim['spec']> = {},
    kubelet = true,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<LeavingNode> {
    if (kubelet) env.startCluster();
    const label = `karpenter.sh/${kubelet ? 'initialized' : 'registered'}`;
    const [claim] = await applied(env, NodeClaims, nodeClaim({ spec, metadata: { labels } }));
    const { nodes } = await eventually(env, (now) => now.nodes[0]?.metadata.labels?.[label] === 'true');
    return new LeavingNode(env, nodes[0]?.metadata.name ?? '', claim?.metadata.name ?? '');
  }

  /** A running pod on the node, if it has a kubelet. */
  async onNode(name: string, overrides: Overrides<Pod> = {}): Promise<Pod | undefined> {
    const metadata = { name, ...overrides.metadata };
    const spec = { nodeName: this.nodeName, ...overrides.spec };
    const [made] = await applied(this.#env, Pods, pod({ ...overrides, metadata, spec }));
    return made;
  }

  /** The same, protected for as long as it says. */
  async protectedOnNode(name: string, value = 'true', spec: Overrides<Pod['spec']> = {}): Promise<void> {
    await this.onNode(name, { metadata: { annotations: { [ANNOTATION_DO_NOT_DISRUPT]: value } }, spec });
  }

  async remove(): Promise<void> {
    await this.#env.client.delete(NodeClaims, { name: this.claimName });
  }

  async node(): Promise<Node> {
    return await this.#env.client.get(Nodes, { name: this.nodeName });
  }

  /** `status reason` of a condition of the claim. */
  async condition(type: string): Promise<string | undefined> {
    const claim = await this.#env.client.get(NodeClaims, { name: this.claimName });
    const condition = claim.status?.conditions?.find((c) => c.type === type);
    return condition && `${condition.status} ${condition.reason}`;
  }

  /** Messages of events of one reason, in order. */
  async told(reason: string): Promise<readonly string[]> {
    const { items } = await this.#env.client.list(Events);
    return items.filter((event: Event) => event.reason === reason).map((event) => event.message ?? '');
  }
}

/** A budget for pods with this label that lets none go. */
export function closedBudget(app: string, name = app): PodDisruptionBudget {
  return {
    metadata: { name, namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app } } },
    status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  };
}

export const podNames = ({ pods }: Snapshot): readonly string[] => pods.map((p) => p.metadata.name).sort();
export const allGone = (now: Snapshot): boolean => now.claims.length + now.nodes.length === 0;

/** The cluster after so many milliseconds. */
export async function elapsed(env: TestEnvironment, ms: number): Promise<Snapshot> {
  await env.clock.advance(ms);
  return await eventually(env, () => true);
}
