import type { NodePool } from '../../src/apis/node-pool.ts';
import { ignoreNotFound } from '../../src/kube/errors.ts';
import type { Deployment, PodDisruptionBudget } from '../../src/kube/objects.ts';
import { Deployments, NodeClaims, NodePools, Nodes, PodDisruptionBudgets } from '../../src/kube/resources.ts';
import type { TestEnvironment } from '../environment.ts';
import { applied, patched } from '../expectations/index.ts';
import { deployment, nodePool, requesting } from '../factories/index.ts';
import type { SeededChoices } from '../parity/random.ts';

const onDemand = (cpu: number) => [
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] } as const,
  { key: 'karpenter.kwok.sh/instance-cpu', operator: 'Lte', values: [String(cpu)] } as const,
];
const BUDGETS = [
  [{ nodes: '1' }],
  [{ nodes: '2' }, { nodes: '1', reasons: ['Drifted'] }],
  [{ nodes: '30%' }],
  [{ nodes: '3' }, { nodes: '0', reasons: ['Underutilized'] }],
] as const;
const STATIC = 'static';

/** What people do to a cluster: its pools and workloads, and how they change. */
export class Scenario {
  readonly #env: TestEnvironment;
  readonly #choices: SeededChoices;
  readonly #pools: string[] = [];
  readonly #workloads: { readonly name: string; readonly guarded: boolean }[] = [];
  #edition = 0;

  constructor(env: TestEnvironment, choices: SeededChoices) {
    this.#env = env;
    this.#choices = choices;
  }

  async begin(): Promise<void> {
    const { pick, chance } = bound(this.#choices);
    await this.#pool('general', {
      template: { spec: { requirements: onDemand(pick([4, 8])) } },
      disruption: { consolidateAfter: pick(['0s', '30s']), budgets: pick(BUDGETS) },
      ...(chance(0.5) ? { limits: { cpu: '64' } } : {}),
    });
    await this.#pool('short-lived', {
      template: {
        spec: {
          requirements: onDemand(4),
          expireAfter: pick(['10m', '20m']),
          ...(chance(0.7) ? { terminationGracePeriod: pick(['90s', '5m']) } : {}),
        },
      },
      disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '1m', budgets: pick(BUDGETS) },
      weight: pick([1, 50]),
      limits: { cpu: pick(['16', '48']) },
    });
    if (chance(0.6)) {
      await this.#pool(STATIC, {
        template: { spec: { requirements: onDemand(4) } },
        replicas: this.#choices.integer(1, 3),
        limits: { nodes: '5' },
        disruption: { consolidateAfter: '0s', budgets: pick(BUDGETS) },
      });
    }
    for (let i = 0; i < this.#choices.integer(3, 5); i++) await this.#workload(`app-${i}`);
  }

  /** One thing that somebody, or the world, does. */
  async act(): Promise<void> {
    await this.#choices.pick([
      () => this.#scale(8),
      () => this.#scale(8),
      () => this.#scale(8),
      () => this.#drift(),
      () => this.#resizeStatic(),
      () => this.#deleteClaim(),
      () => this.#deleteNode(),
      () => this.#loseNode(),
    ])();
  }

  /**
   * Nothing changes any more, and what there is has room everywhere: protected pods go, budgets have a pod to spare, and
   * nodes no longer expire.
   */
  async end(): Promise<void> {
    for (const { name, guarded } of this.#workloads) {
      await patched(this.#env, Deployments, name, { spec: { replicas: guarded ? 0 : this.#choices.integer(2, 3) } });
    }
    for (const pool of this.#pools.filter((name) => name !== STATIC)) {
      await patched(this.#env, NodePools, pool, { spec: { limits: { cpu: '500' } } });
    }
    await patched(this.#env, NodePools, 'short-lived', { spec: { template: { spec: { expireAfter: 'Never' } } } });
  }

  async #pool(name: string, spec: NonNullable<Parameters<typeof nodePool>[0]>['spec']): Promise<void> {
    const pool = nodePool({ metadata: { name }, spec });
    // The API refuses a static pool that says how to consolidate.
    await applied(this.#env, NodePools, pool as NodePool);
    this.#pools.push(name);
  }

  async #workload(name: string): Promise<void> {
    const { pick, chance } = bound(this.#choices);
    const guarded = chance(0.2);
    const annotations: Readonly<Record<string, string>> = guarded
      ? { 'karpenter.sh/do-not-disrupt': pick(['true', '5m']) }
      : {};
    const spec = {
      ...requesting({ cpu: pick(['500m', '1', '1500m', '3']) }),
      terminationGracePeriodSeconds: pick([1, 5, 30, 60]),
      ...(chance(0.3) ? { nodeSelector: { 'karpenter.sh/nodepool': pick(['general', 'short-lived']) } } : {}),
    };
    const object: Deployment = deployment(this.#choices.integer(0, 6), {
      metadata: { name },
      spec: { template: { spec } },
    });
    const template = { ...object.spec.template, metadata: { ...object.spec.template.metadata, annotations } };
    await applied(this.#env, Deployments, { ...object, spec: { ...object.spec, template } });
    this.#workloads.push({ name, guarded });
    if (!chance(0.5)) return;
    const budget: PodDisruptionBudget = {
      metadata: { name, namespace: 'default' },
      spec: { ...pick([{ maxUnavailable: 1 }, { minAvailable: '50%' }]), selector: { matchLabels: { app: name } } },
    };
    await applied(this.#env, PodDisruptionBudgets, budget);
  }

  async #scale(most: number): Promise<void> {
    const { name } = this.#choices.pick(this.#workloads);
    await patched(this.#env, Deployments, name, { spec: { replicas: this.#choices.integer(0, most) } });
  }

  async #drift(): Promise<void> {
    const labels = { edition: String(++this.#edition) };
    await patched(this.#env, NodePools, this.#choices.pick(this.#pools), {
      spec: { template: { metadata: { labels } } },
    });
  }

  async #resizeStatic(): Promise<void> {
    if (!this.#pools.includes(STATIC)) return;
    await patched(this.#env, NodePools, STATIC, { spec: { replicas: this.#choices.integer(0, 4) } });
  }

  async #deleteClaim(): Promise<void> {
    const { items } = await this.#env.client.list(NodeClaims);
    if (items.length === 0) return;
    await this.#env.client.delete(NodeClaims, { name: this.#choices.pick(items).metadata.name });
  }

  async #deleteNode(): Promise<void> {
    const { items } = await this.#env.client.list(Nodes);
    if (items.length === 0) return;
    await this.#env.client.delete(Nodes, { name: this.#choices.pick(items).metadata.name });
  }

  /** As when a spot instance is taken away: the instance and its node are gone at once. */
  async #loseNode(): Promise<void> {
    const { items } = await this.#env.client.list(Nodes);
    if (items.length === 0) return;
    const { name } = this.#choices.pick(items).metadata;
    await patched(this.#env, Nodes, name, { metadata: { finalizers: null } });
    await this.#env.client.delete(Nodes, { name }).catch(ignoreNotFound);
  }
}

/** The choices a seed makes, as plain functions. */
function bound(choices: SeededChoices) {
  return {
    pick: <T>(from: readonly T[]): T => choices.pick(from),
    chance: (probability: number): boolean => choices.chance(probability),
  };
}
