/** How many volumes nodes can attach, where no CSINode says so yet. */
import { LABEL_INSTANCE_TYPE } from '../apis/labels.ts';
import type { Bits } from './bit-set.ts';
import { distinctTypes } from './distinct-types.ts';
import type { InstanceCatalogue } from './instance-catalogue.ts';
import type { InstanceType } from './instance-type.ts';
import { isInitialized, nodeLabels } from './state-node.ts';
import type { PoolAndTypes, StateNode } from './types.ts';
import type { Volumes } from './volumes.ts';

/** Kubernetes' name of the resource; the CSI driver's name follows. */
const ATTACHABLE = 'attachable-volumes-csi-';

type Limits = ReadonlyMap<string, number>;
const NO_LIMITS: Limits = new Map();

/**
 * Attach limits by instance type: what the type declares as capacity `attachable-volumes-csi-<driver>`, and otherwise the
 * most that a node of the type has been seen to attach. Upstream takes a node without a CSINode to have no limit.
 */
export class AttachLimits {
  readonly #byType = new Map<string, Map<string, number>>();

  constructor(pools: readonly PoolAndTypes[], nodes: readonly StateNode[], volumes: Pick<Volumes, 'limitsOf'>) {
    for (const state of nodes) {
      const type = nodeLabels(state)[LABEL_INSTANCE_TYPE];
      if (type === undefined || !state.node) continue;
      for (const [driver, limit] of volumes.limitsOf(state.node.metadata.name)) {
        this.#note(type, driver, Math.max(limit, this.#byType.get(type)?.get(driver) ?? 0));
      }
    }
    for (const type of distinctTypes(pools)) {
      for (const name in type.capacity) {
        if (name.startsWith(ATTACHABLE))
          this.#note(type.name, name.slice(ATTACHABLE.length), (type.capacity[name] ?? 0) / 1000);
      }
    }
  }

  /** No type has a limit that anybody knows. */
  get isEmpty(): boolean {
    return this.#byType.size === 0;
  }

  of(type: InstanceType): Limits {
    return this.#byType.get(type.name) ?? NO_LIMITS;
  }

  /** What its CSINode says; until the node is initialized, its type fills in what that does not say yet. */
  ofNode(state: StateNode, volumes: Pick<Volumes, 'limitsOf'>): Limits {
    const own = volumes.limitsOf(state.node?.metadata.name ?? '');
    const expected = this.#byType.get(nodeLabels(state)[LABEL_INSTANCE_TYPE] ?? '');
    return !expected || isInitialized(state) ? own : new Map([...expected, ...own]);
  }

  /** Variants of types that can attach this many volumes of each driver. */
  within(catalogue: InstanceCatalogue, counts: Limits): Bits {
    return catalogue.where((type) => {
      const limits = this.of(type);
      return [...counts].every(([driver, count]) => count <= (limits.get(driver) ?? Number.POSITIVE_INFINITY));
    });
  }

  #note(type: string, driver: string, limit: number): void {
    const limits = this.#byType.get(type);
    if (limits) limits.set(driver, limit);
    else this.#byType.set(type, new Map([[driver, limit]]));
  }
}

export const NO_ATTACH_LIMITS = new AttachLimits([], [], { limitsOf: () => NO_LIMITS });
