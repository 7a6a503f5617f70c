/** Pools, workloads and how they shrink, on a running operator: what the tests of disruption start from. */
import type { NodePool } from '../../src/apis/node-pool.ts';
import type { Event, Pod } from '../../src/kube/objects.ts';
import { Deployments, Events, NodePools, Pods } from '../../src/kube/resources.ts';
import type { TestEnvironment } from '../environment.ts';
import { applied, eventually, patched, running, type Snapshot, snapshot } from '../expectations/index.ts';
import { deployment, nodePool, type Overrides } from '../factories/index.ts';

const ON_DEMAND = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] } as const;
const CPU = 'karpenter.kwok.sh/instance-cpu';

export const AT_ONCE = { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' } as const;

/** Names of nodes that are marked to go. */
export const disrupted = ({ nodes }: Snapshot): string[] =>
  nodes.filter((n) => n.spec.taints?.some((t) => t.key === 'karpenter.sh/disrupted')).map((n) => n.metadata.name);

export class SmallCluster {
  readonly #env: TestEnvironment;

  constructor(env: TestEnvironment) {
    this.#env = env;
  }

  /** A pool of on-demand nodes with at most `cpu` cpus. */
  async pool(cpu: number, spec: Overrides<NodePool['spec']> = {}): Promise<string> {
    const requirements = [ON_DEMAND, { key: CPU, operator: 'Lte', values: [String(cpu)] } as const];
    const made = nodePool({ spec: { template: { spec: { requirements } }, ...spec } });
    return (await applied(this.#env, NodePools, made))[0]?.metadata.name ?? '';
  }

  /** A pool that only the pods of `workloadIn` can use. */
  async poolFor(team: string, spec: Overrides<NodePool['spec']> = {}, cpu = 4): Promise<string> {
    const name = await this.pool(cpu, spec);
    await patched(this.#env, NodePools, name, { spec: { template: { metadata: { labels: { team } } } } });
    return name;
  }

  /** Running pods of one cpu each. */
  async workload(replicas: number, overrides: Parameters<typeof deployment>[1] = {}): Promise<string> {
    const before = running(await snapshot(this.#env));
    const [made] = await applied(this.#env, Deployments, deployment(replicas, overrides));
    await eventually(this.#env, (now) => running(now) === before + replicas);
    return made?.metadata.name ?? '';
  }

  async workloadIn(team: string, replicas: number): Promise<string> {
    return await this.workload(replicas, { spec: { template: { spec: { nodeSelector: { team } } } } });
  }

  async scale(name: string, replicas: number): Promise<void> {
    await patched(this.#env, Deployments, name, { spec: { replicas } });
  }

  /** Lets so many pods of the workload stay on each of its nodes, in the order of their names. */
  async shrink(name: string, left: readonly number[]): Promise<void> {
    const pods = (await snapshot(this.#env)).pods.filter((p) => p.metadata.labels?.app === name);
    const byNode = [...Map.groupBy(pods, (p: Pod) => p.spec.nodeName ?? '')].sort(([a], [b]) => (a < b ? -1 : 1));
    const leaving = byNode.flatMap(([, members], i) => members.slice(left[i] ?? 0));
    const annotations = { 'controller.kubernetes.io/pod-deletion-cost': '-1' };
    for (const pod of leaving) await patched(this.#env, Pods, pod.metadata.name, { metadata: { annotations } });
    await this.scale(name, pods.length - leaving.length);
    await eventually(this.#env, (now) => now.pods.length <= pods.length - leaving.length);
  }

  /** Messages of events of one reason, each once, about objects of one kind. */
  async told(reason: string, kind = 'Node'): Promise<readonly string[]> {
    const { items } = await this.#env.client.list(Events);
    const fitting = items.filter((event: Event) => event.reason === reason && event.involvedObject.kind === kind);
    return [...new Set(fitting.map((event) => event.message ?? ''))];
  }
}
