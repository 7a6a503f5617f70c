import type { TopologyGroup } from './topology-group.ts';

/** What a shape has to do with the groups of one run. */
export interface ShapeTopology {
  /** Groups of its own rules. */
  readonly owned: readonly TopologyGroup[];
  /** Other pods' required anti-affinity that selects it. */
  readonly keptAwayBy: readonly TopologyGroup[];
  /** Groups whose counts it changes. */
  readonly counted: readonly TopologyGroup[];
  readonly ownedInverse: readonly TopologyGroup[];
  /** The owned and keeping-away groups; first those that rule domains out, so that a spread can choose among the rest. */
  readonly binding: readonly TopologyGroup[];
  /** Those of the owned and keeping-away groups that are about hostnames. */
  readonly ofHostname: readonly TopologyGroup[];
  /** Those of the owned and keeping-away groups whose selector it matches itself. */
  readonly selectsItself: ReadonlySet<TopologyGroup>;
}
