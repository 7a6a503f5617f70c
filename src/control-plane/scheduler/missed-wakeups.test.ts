import { describe, expect, it } from 'vitest';
import { node, pod, requesting } from '../../../test/factories/index.ts';
import { type LocalCluster, localCluster } from '../../../test/support/local-cluster.ts';
import type { Random } from '../../kube/clock.ts';
import { Informers } from '../../kube/informers.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { Node, Pod } from '../../kube/objects.ts';
import { Nodes, Pods } from '../../kube/resources.ts';
import { SeededRandom } from '../../operator/random.ts';
import { Scheduler } from './scheduler.ts';

const ZONE = 'topology.kubernetes.io/zone';
const labelSelector = { matchLabels: { app: 'web' } };

/** Makes random nodes and pods, and random changes to them. */
class Churn {
  readonly #cluster: LocalCluster;
  readonly #random: Random;
  #count = 0;

  constructor(cluster: LocalCluster, seed: number) {
    this.#cluster = cluster;
    this.#random = new SeededRandom(seed);
  }

  #one<T>(...choices: readonly T[]): T {
    return choices[Math.floor(this.#random.next() * choices.length)] as T;
  }

  async step(): Promise<void> {
    const { client } = this.#cluster;
    const nodes = await this.#cluster.list(Nodes);
    const pods = await this.#cluster.list(Pods);
    const [aNode, aPod] = [this.#one(...nodes), this.#one(...pods)];
    const patchNode = async (body: object, subresource?: string): Promise<void> => {
      if (aNode === undefined) return;
      await client.patch(Nodes, aNode.metadata, { type: 'merge', body }, subresource ? { subresource } : {});
    };
    const allocatable = { cpu: this.#one('0', '1', '2', '4'), memory: '8Gi', pods: this.#one('2', '10') };
    await this.#one(
      () => this.#cluster.create(Pods, this.#pod()),
      () => this.#cluster.create(Pods, this.#pod()),
      () => this.#cluster.create(Nodes, this.#node()),
      () => patchNode({ spec: { taints: this.#one(null, [{ key: 'a', effect: 'NoSchedule' }]) } }),
      () => patchNode({ spec: { unschedulable: this.#one(true, false) } }),
      () => patchNode({ metadata: { labels: { [ZONE]: this.#one('z1', 'z2', 'z3') } } }),
      () => patchNode({ status: { allocatable } }, 'status'),
      async () => aPod && (await client.delete(Pods, aPod.metadata, { gracePeriodSeconds: 0 })),
      async () => aNode && this.#random.next() < 0.3 && (await client.delete(Nodes, aNode.metadata)),
    )();
    await this.#cluster.clock.advance(2000);
  }

  #node(): Node {
    const name = `n${this.#count++}`;
    const taints = this.#one([], [{ key: 'a', effect: 'NoSchedule' }]);
    const labels = { 'kubernetes.io/hostname': name, [ZONE]: this.#one('z1', 'z2') };
    const allocatable = { cpu: this.#one('0', '2', '4'), memory: '8Gi', pods: '10' };
    return node({ metadata: { name, labels }, spec: { taints }, status: { allocatable } });
  }

  #pod(): Pod {
    const away = {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey: ZONE }] },
    };
    const near = {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey: ZONE }] },
    };
    const spread = { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector };
    const hostPort = { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] }] };
    const more = this.#one<Partial<Pod['spec']>>(
      {},
      {},
      { tolerations: [{ key: 'a', operator: 'Exists' }] },
      { nodeSelector: { [ZONE]: this.#one('z1', 'z3') } },
      { affinity: away },
      { affinity: near },
      { topologySpreadConstraints: [spread] },
      hostPort,
    );
    const labels = { app: this.#one('web', 'db') };
    const spec = { ...requesting({ cpu: this.#one('500m', '1', '2') }), ...more };
    return pod({ metadata: { name: `p${this.#count++}`, labels }, spec });
  }
}

const pending = async (cluster: LocalCluster): Promise<readonly string[]> =>
  (await cluster.list(Pods)).filter(({ spec }) => !spec.nodeName).map(keyOf);

describe('however a cluster changes', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('no pod is left waiting that could be placed (seed %i)', async (seed) => {
    const cluster = await localCluster();
    const churn = new Churn(cluster, seed);
    await cluster.run(new Scheduler(cluster.deps));
    for (let step = 0; step < 80; step++) await churn.step();
    await cluster.clock.advance(15_000);
    const before = await pending(cluster);

    // A scheduler that has no memory looks at everything afresh.
    const { clock } = cluster;
    const { client, random } = cluster.deps;
    const informers = new Informers({ client, clock, random });
    const stop = new AbortController();
    const fresh = new Scheduler({ ...cluster.deps, informers }).run(stop.signal);
    informers.start(stop.signal);
    await clock.advance(15_000);
    const after = await pending(cluster);
    stop.abort();
    await fresh;
    await cluster.stop();
    expect(after).toEqual(before);
  });
});
