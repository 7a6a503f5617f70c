/** How much of what refuses a pod is told. */
import { nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { TargetFailure, TypeVerdict, World } from '../scheduling/types.ts';

export interface Asked {
  /** Names of the pools to tell about; all of them by default. */
  readonly pools?: readonly string[] | undefined;
  /** Tell of every instance type as well. */
  readonly allTypes?: boolean;
}

export interface PoolTypes {
  readonly nodePool: string;
  /** Those that would do first, the cheapest of them first; then the others, in the order of the questions they fail. */
  readonly types: readonly TypeVerdict[];
}

/** Of the pools asked about, without what is told only when it is asked for. */
export function told(
  refusals: readonly TargetFailure[],
  looked: readonly TargetFailure[],
  { world, pools, allTypes }: Asked & { readonly world: World },
): { readonly targets: readonly TargetFailure[]; readonly instanceTypes?: readonly PoolTypes[] } {
  const poolOfNode = new Map(world.nodes.map((node) => [stateNodeName(node), nodePoolName(node)]));
  const isAskedFor = ({ kind, name }: TargetFailure): boolean =>
    pools === undefined || pools.includes((kind === 'NodePool' ? name : poolOfNode.get(name)) ?? '');
  const targets = refusals.filter(isAskedFor).map(({ types: _, ...target }) => target);
  if (!allTypes) return { targets };
  const instanceTypes = looked
    .filter(isAskedFor)
    .flatMap(({ kind, name, types }) =>
      kind === 'NodePool' && types ? [{ nodePool: name, types: cheapestFirst(types) }] : [],
    );
  return { targets, instanceTypes };
}

/** The others stay in their order. */
function cheapestFirst(types: readonly TypeVerdict[]): readonly TypeVerdict[] {
  const price = ({ offer }: TypeVerdict): number => offer?.price ?? Number.MAX_VALUE;
  return types.toSorted((a, b) => price(a) - price(b));
}
