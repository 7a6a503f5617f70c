import type { NodePool } from '../apis/node-pool.ts';
import type { Pod } from '../kube/objects.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { Allocatables } from '../scheduling/allocatables.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import { PdbLimits } from '../scheduling/pdb-limits.ts';
import type { Resources } from '../scheduling/resources.ts';
import type { StateNode, World } from '../scheduling/types.ts';

export interface IndexedPool {
  readonly nodePool: NodePool;
  readonly instanceTypes: ReadonlyMap<string, InstanceType>;
}

const NO_PODS: readonly Pod[] = [];

/** Look-ups over a world that every method shares; built once. */
export class WorldIndex {
  readonly world: World;
  readonly pdbs: PdbLimits;
  readonly allocatables = new Allocatables();
  readonly #deleting: ReadonlySet<string>;
  readonly #pods = new Map<string, Pod[]>();
  readonly #pools: ReadonlyMap<string, IndexedPool>;
  readonly #requests = new Map<Pod, Resources>();

  constructor(world: World) {
    this.world = world;
    this.pdbs = new PdbLimits(world.podDisruptionBudgets);
    this.#deleting = new Set(
      world.nodes.filter((n) => n.markedForDeletion).flatMap((n) => (n.node ? [n.node.metadata.name] : [])),
    );
    for (const pod of world.pods) {
      if (!pod.spec.nodeName) continue;
      const known = this.#pods.get(pod.spec.nodeName);
      if (known) known.push(pod);
      else this.#pods.set(pod.spec.nodeName, [pod]);
    }
    this.#pools = new Map(
      world.pools.map(({ nodePool, instanceTypes }) => [
        nodePool.metadata.name,
        { nodePool, instanceTypes: new Map(instanceTypes.map((type) => [type.name, type])) },
      ]),
    );
  }

  podsOn(node: StateNode): readonly Pod[] {
    return this.#pods.get(node.node?.metadata.name ?? '') ?? NO_PODS;
  }

  /** The pod's node is on its way out already. */
  isOnDeletingNode(pod: Pod): boolean {
    return this.#deleting.has(pod.spec.nodeName ?? '');
  }

  /** What the pod asks for. */
  requestsOf(pod: Pod): Resources {
    let requests = this.#requests.get(pod);
    if (!requests) {
      requests = podRequests(pod);
      this.#requests.set(pod, requests);
    }
    return requests;
  }

  pool(name: string): IndexedPool | undefined {
    return this.#pools.get(name);
  }
}
