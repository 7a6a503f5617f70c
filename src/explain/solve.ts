import type { Pod } from '../kube/objects.ts';
import type { Results, World } from '../scheduling/types.ts';

/** The packer with every option but the reasons already chosen. */
export type Solve = (world: World, pods: readonly Pod[], reasons: boolean) => Results;
