import type { Pod } from '../kube/objects.ts';
import type { Results, World } from '../scheduling/types.ts';

/** The packer with every option but the reasons already chosen: those of all pods, of none, or of one. */
export type Solve = (world: World, pods: readonly Pod[], reasons: boolean | Pod) => Results;
