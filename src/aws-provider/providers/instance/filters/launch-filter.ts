import type { InstanceType } from '../../../../scheduling/instance-type.ts';
import type { Requirements } from '../../../../scheduling/requirements.ts';
import type { Resources } from '../../../../scheduling/resources.ts';

/** What a claim asks for. */
export interface LaunchDemand {
  readonly requirements: Requirements;
  readonly requests: Resources;
}

/** Leaves the types, and of each the offerings, that a launch should go on with (aws-provider.md 17.5). */
export interface LaunchFilter {
  readonly name: string;
  keep(types: readonly InstanceType[], demand: LaunchDemand): readonly InstanceType[];
}
