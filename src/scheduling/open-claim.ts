import type { Pod } from '../kube/objects.ts';
import type { Bits } from './bit-set.ts';
import type { HostPort } from './host-ports.ts';
import type { Offering } from './instance-type.ts';
import type { NodePoolTemplate } from './node-pool-template.ts';
import type { RequirementSet } from './requirement-sets.ts';
import type { TopologyTarget } from './topology-target.ts';
import { NO_VOLUMES, type VolumesByDriver } from './volumes.ts';

/** A node that the run wants, while pods are still being added to it. */
export interface OpenClaim extends TopologyTarget {
  readonly index: number;
  readonly template: NodePoolTemplate;
  readonly pods: Pod[];
  set: RequirementSet;
  /** Variants of the pool's catalogue that hold everything so far. */
  variants: Bits;
  /** Requests of the pods, by resource; daemons are not in it. */
  readonly total: Map<string, number>;
  ports: readonly HostPort[];
  volumes: VolumesByDriver;
  reserved: readonly Offering[];
  /** By number of the resource: more than this is on none of its variants. */
  readonly headroom: number[];
  minValuesRelaxed: boolean;
  /** What `#survivors` has answered since the last pod came, by requests and requirements. */
  readonly survivors: Map<number, Bits | undefined>;
}

/** A claim of the pool to which nothing has been added; `index` is its place among the claims of the run. */
export function openClaim(template: NodePoolTemplate, variants: Bits, index: number): OpenClaim {
  return {
    index,
    template,
    hostname: `hostname-placeholder-${String(index + 1).padStart(4, '0')}`,
    taints: template.taints,
    fresh: true,
    pods: [],
    set: template.set,
    variants,
    total: new Map(),
    ports: [],
    volumes: NO_VOLUMES,
    reserved: [],
    headroom: [],
    minValuesRelaxed: false,
    survivors: new Map(),
  };
}
