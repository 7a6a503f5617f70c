import { Ec2NodeClasses } from '../../../src/aws-provider/apis/ec2-node-class.ts';
import { ignoreNotFound } from '../../../src/kube/errors.ts';
import type { PodDisruptionBudget } from '../../../src/kube/objects.ts';
import { Deployments, NodeClaims, NodePools, Nodes, PodDisruptionBudgets } from '../../../src/kube/resources.ts';
import type { AwsEnvironment } from '../../aws/aws-environment.ts';
import { applied, patched } from '../../expectations/index.ts';
import { deployment, nodePool, requesting } from '../../factories/index.ts';
import type { SeededChoices } from '../../parity/random.ts';

const CLASS = 'default';
const POOLS = ['general', 'on-demand'] as const;
const WORKLOADS = 5;
/** The class's capacity reservation, whether or not there is one. */
export const RESERVATION = 'cr-1';

/** What people do to the cluster: workloads come and go, classes and pools are edited, nodes deleted. */
export class People {
  readonly #world: AwsEnvironment;
  readonly #choices: SeededChoices;
  #edition = 0;

  constructor(world: AwsEnvironment, choices: SeededChoices) {
    this.#world = world;
    this.#choices = choices;
  }

  async begin(): Promise<void> {
    const { env } = this.#world;
    const capacityReservationSelectorTerms = [{ id: RESERVATION }];
    await this.#world.nodeClass({ metadata: { name: CLASS }, spec: { capacityReservationSelectorTerms } });
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: CLASS };
    const budgets = [{ nodes: '30%' }];
    for (const name of POOLS) {
      const values = name === 'general' ? ['spot', 'on-demand', 'reserved'] : ['on-demand'];
      const requirements = [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values } as const,
        { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lte', values: ['16'] } as const,
      ];
      const template = { spec: { nodeClassRef, requirements } };
      await applied(
        env,
        NodePools,
        nodePool({ metadata: { name }, spec: { template, disruption: { consolidateAfter: '1m', budgets } } }),
      );
    }
    for (let i = 0; i < WORKLOADS; i++) await this.#workload(`app-${i}`, i === 0 ? 'on-demand' : undefined);
  }

  async act(): Promise<void> {
    await this.#choices.pick([
      () => this.#scale(10),
      () => this.#scale(10),
      () => this.#scale(10),
      () => this.#scale(0),
      () => this.#editClass(),
      () => this.#editPool(),
      () => this.#delete(NodeClaims),
      () => this.#delete(Nodes),
    ])();
  }

  /** All workloads are small and stay so. */
  async end(): Promise<void> {
    for (let i = 0; i < WORKLOADS; i++) await this.#resize(`app-${i}`, 2);
  }

  /** Everything is deleted. */
  async leave(): Promise<void> {
    const { client } = this.#world.env;
    for (let i = 0; i < WORKLOADS; i++) await client.delete(Deployments, { name: `app-${i}`, namespace: 'default' });
    for (const name of POOLS) await client.delete(NodePools, { name });
    await client.delete(Ec2NodeClasses, { name: CLASS });
  }

  async #workload(name: string, pool: string | undefined): Promise<void> {
    const { env } = this.#world;
    const spec = {
      ...requesting({ cpu: this.#choices.pick(['500m', '1', '1500m', '3']) }),
      terminationGracePeriodSeconds: this.#choices.pick([1, 30]),
      ...(pool === undefined ? {} : { nodeSelector: { 'karpenter.sh/nodepool': pool } }),
    };
    await applied(env, Deployments, deployment(3, { metadata: { name }, spec: { template: { spec } } }));
    if (!this.#choices.chance(0.5)) return;
    const budget: PodDisruptionBudget = {
      metadata: { name, namespace: 'default' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: name } } },
    };
    await applied(env, PodDisruptionBudgets, budget);
  }

  async #scale(most: number): Promise<void> {
    await this.#resize(`app-${this.#choices.integer(0, WORKLOADS - 1)}`, this.#choices.integer(0, most));
  }

  async #resize(name: string, replicas: number): Promise<void> {
    await patched(this.#world.env, Deployments, name, { spec: { replicas } });
  }

  /** Each of them makes nodes drift. */
  async #editClass(): Promise<void> {
    const edition = ++this.#edition;
    const spec = this.#choices.pick([
      { tags: { edition: String(edition) } },
      { userData: `#!/bin/sh\necho ${edition}\n` },
      { detailedMonitoring: edition % 2 === 0 },
      { metadataOptions: { httpPutResponseHopLimit: 1 + (edition % 3) } },
      { role: `role-${edition % 3}` },
    ]);
    await patched(this.#world.env, Ec2NodeClasses, CLASS, { spec });
  }

  async #editPool(): Promise<void> {
    const labels = { edition: String(++this.#edition) };
    await patched(this.#world.env, NodePools, this.#choices.pick(POOLS), {
      spec: { template: { metadata: { labels } } },
    });
  }

  async #delete(resource: typeof NodeClaims | typeof Nodes): Promise<void> {
    const { client } = this.#world.env;
    const { items } = await client.list(resource);
    const names = items.map(({ metadata }) => metadata.name);
    if (names.length > 0) await client.delete(resource, { name: this.#choices.pick(names) }).catch(ignoreNotFound);
  }
}
