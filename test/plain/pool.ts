/** Pools that may grow, and what their new nodes start from (karpenter-core.md 3.5, 4.3). */
import type { NodePool } from '../../src/apis/node-pool.ts';
import type { Taint } from '../../src/kube/objects.ts';
import type { World } from '../../src/scheduling/index.ts';
import type { Amounts } from './amounts.ts';
import { type Daemon, overheadOf, toleratesTaints } from './daemons.ts';
import { canBe, shortfall, type Type, typeOf } from './instance-types.ts';
import { asTurnedOut } from './learned.ts';
import type { Port } from './pod-needs.ts';
import { intersect, labelsAsWishes, meets, plus, type Wishes, wishesOf } from './requirements.ts';

export interface Pool {
  readonly nodePool: NodePool;
  readonly types: readonly Type[];
}

/** Types that get the same daemons. */
export interface TypeGroup {
  readonly types: readonly Type[];
  readonly overhead: Amounts;
  readonly ports: readonly Port[];
}

export interface Template {
  readonly nodePool: NodePool;
  readonly name: string;
  readonly taints: readonly Taint[];
  readonly wishes: Wishes;
  readonly groups: readonly TypeGroup[];
}

export function isUsable({ metadata, spec, status }: NodePool): boolean {
  const ready = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
  return ready && spec.replicas === undefined && metadata.deletionTimestamp === undefined;
}

/** In the order in which they are tried: by weight, then by name from the end. */
export function growingPools(world: World): readonly Pool[] {
  return world.pools
    .filter(({ nodePool, instanceTypes }) => isUsable(nodePool) && instanceTypes.length > 0)
    .toSorted(
      ({ nodePool: a }, { nodePool: b }) =>
        (b.spec.weight ?? 0) - (a.spec.weight ?? 0) || (a.metadata.name < b.metadata.name ? 1 : -1),
    )
    .map(({ nodePool, instanceTypes }) => ({
      nodePool,
      types: instanceTypes.map((type) => typeOf(asTurnedOut(type, nodePool.metadata.name, world))),
    }));
}

/** Undefined when the pool's own requirements leave no type. */
export function templateOf(
  { nodePool, types: all }: Pool,
  daemons: readonly Daemon[],
  options: { readonly mayLack: ReadonlySet<string>; readonly strictMinValues: boolean },
): Template | undefined {
  const { mayLack, strictMinValues } = options;
  const wishes = wishesOfPool(nodePool);
  const types = all.filter((type) => canBe(type, wishes, {}, mayLack));
  if (types.length === 0 || (strictMinValues && shortfall(types, wishes).size > 0)) return undefined;
  const taints = nodePool.spec.template.spec.taints ?? [];
  const tolerant = daemons.filter((daemon) => toleratesTaints(daemon, taints));
  const daemonsFor = (type: Type): readonly Daemon[] =>
    tolerant.filter((daemon) =>
      daemon.wishes.some((one) => meets(wishes, one, mayLack) && intersect(type.wishes, one)),
    );
  const grouped = Map.groupBy(types, (type) =>
    daemonsFor(type)
      .map((daemon) => daemons.indexOf(daemon))
      .join(),
  );
  const groups = [...grouped.values()].map((members) => {
    const common = members[0] ? daemonsFor(members[0]) : [];
    return { types: members, overhead: overheadOf(common), ports: common.flatMap(({ ports }) => ports) };
  });
  return { nodePool, name: nodePool.metadata.name, taints, wishes, groups };
}

function wishesOfPool({ metadata, spec }: NodePool): Wishes {
  const { group, kind, name } = spec.template.spec.nodeClassRef;
  const labels = {
    ...spec.template.metadata?.labels,
    'karpenter.sh/nodepool': metadata.name,
    [`${group}/${kind.toLowerCase()}`]: name,
  };
  const oneDay = { 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' };
  return plus(plus(wishesOf(spec.template.spec.requirements), labelsAsWishes(labels)), labelsAsWishes(oneDay));
}
