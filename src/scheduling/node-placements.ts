import type { Pod } from '../kube/objects.ts';
import type { ExistingNode } from './existing-node.ts';
import { type HostPort, portConflict } from './host-ports.ts';
import type { PodShape } from './pod-shape.ts';
import type { RequirementSet, RequirementSets } from './requirement-sets.ts';
import { toleratesAll } from './taints.ts';
import type { Topology } from './topology.ts';
import type { TopologyTarget } from './topology-target.ts';
import type { ExistingNodePlacement } from './types.ts';
import { joinVolumes, type VolumesByDriver } from './volumes.ts';

/** A node to which this run has added pods. */
interface Use {
  readonly pods: Pod[];
  /** Its labels; with upstream's faults, also what its pods ask of them. */
  set: RequirementSet;
  remaining: readonly number[];
  volumes: VolumesByDriver;
  ports: readonly HostPort[];
}

/**
 * The nodes that a shape could go to as they are now, in the order in which they are tried. Nothing that a run does makes a
 * node fit better, so a node is asked once per shape, when its turn comes, and those that refuse are never looked at again.
 */
export class FittingNodes {
  readonly #nodes: readonly ExistingNode[];
  readonly #admits: (node: ExistingNode) => boolean;
  readonly #fitting: ExistingNode[] = [];
  #asked = 0;

  constructor(nodes: readonly ExistingNode[], admits: (node: ExistingNode) => boolean) {
    this.#nodes = nodes;
    this.#admits = admits;
  }

  /** The node at this position among those that fit; undefined past the last. */
  at(position: number): ExistingNode | undefined {
    while (position >= this.#fitting.length) {
      const node = this.#nodes[this.#asked];
      if (!node) return undefined;
      this.#asked++;
      if (this.#admits(node)) this.#fitting.push(node);
    }
    return this.#fitting[position];
  }
}

/** Which nodes each shape could go to; kept for all runs. */
export class NodeCandidates {
  readonly #nodes: readonly ExistingNode[];
  readonly #sets: RequirementSets;
  readonly #keepKnownFaults: boolean;
  readonly #fitting = new Map<PodShape, FittingNodes>();

  /**
   * @param keepKnownFaults upstream takes a label that a pod only must not have as given from then on, so that a node which
   * lacks it can come to fit
   */
  constructor(nodes: readonly ExistingNode[], sets: RequirementSets, keepKnownFaults: boolean) {
    this.#keepKnownFaults = keepKnownFaults;
    this.#nodes = nodes;
    this.#sets = sets;
  }

  of(shape: PodShape): FittingNodes {
    let fitting = this.#fitting.get(shape);
    if (!fitting) {
      fitting = new FittingNodes(this.#nodes, (node) => this.#admits(node, shape));
      this.#fitting.set(shape, fitting);
    }
    return fitting;
  }

  #admits(node: ExistingNode, shape: PodShape): boolean {
    return (
      hasRoom(node.remaining, shape) &&
      (node.taints.length === 0 || toleratesAll(node.taints, shape.spec.tolerations)) &&
      (!shape.hostname || shape.hostname.has(node.hostname)) &&
      (this.#keepKnownFaults || this.#sets.join(node.set, shape.set, false) !== undefined) &&
      withinLimits(node, node.volumes, shape.volumes) &&
      !portConflict(shape.ports, node.ports)
    );
  }
}

export interface NodePlacementsDeps {
  readonly candidates: NodeCandidates;
  readonly sets: RequirementSets;
  readonly topology: Topology;
  /** Nodes that don't take part in this run. */
  readonly excluded: (node: ExistingNode) => boolean;
  /** Nodes that only pods which have to move may use. */
  readonly protectedFrom: (node: ExistingNode, pod: Pod) => boolean;
  /** What a pod asks of a label counts as the label from then on, for itself and those that follow. */
  readonly keepKnownFaults: boolean;
}

/** Places the pods of one run on nodes that exist (karpenter-core.md 4.5). */
export class NodePlacements {
  readonly #deps: NodePlacementsDeps;
  readonly #uses = new Map<ExistingNode, Use>();
  /** Per shape: nodes that it can't go to for the rest of the run. */
  readonly #dead = new Map<PodShape, Set<ExistingNode>>();
  /** Per shape: how many of its fitting nodes, from the first on, are dead or don't take part. */
  readonly #skipped = new Map<PodShape, number>();

  constructor(deps: NodePlacementsDeps) {
    this.#deps = deps;
  }

  get results(): ExistingNodePlacement[] {
    const used = [...this.#uses].sort(([a], [b]) => a.index - b.index);
    return used.map(([node, { pods }]) => ({ node: node.state, pods }));
  }

  /** The node as it is with what has been added. */
  current(node: ExistingNode): Omit<Use, 'pods'> {
    return this.#uses.get(node) ?? node;
  }

  /** The labels of the node as rules about topology see them; undefined when they are not what the shape wants. */
  labelsFor(node: ExistingNode, shape: PodShape): RequirementSet | undefined {
    return this.#narrowed(this.current(node).set, shape.set);
  }

  /** Whether a node took the pod; the first that can does. */
  place(pod: Pod, shape: PodShape): boolean {
    const fitting = this.#deps.candidates.of(shape);
    for (let position = this.#firstLeft(fitting, shape); ; position++) {
      const node = fitting.at(position);
      if (!node) return false;
      if (this.#isOut(node, shape) || this.#deps.protectedFrom(node, pod)) continue;
      const set = this.#fits(node, shape);
      if (!set) continue;
      this.#add(node, pod, shape, set);
      return true;
    }
  }

  /** The position of the first fitting node that may still take the shape. */
  #firstLeft(fitting: FittingNodes, shape: PodShape): number {
    let position = this.#skipped.get(shape) ?? 0;
    for (let node = fitting.at(position); node && this.#isOut(node, shape); node = fitting.at(position)) position++;
    this.#skipped.set(shape, position);
    return position;
  }

  #isOut(node: ExistingNode, shape: PodShape): boolean {
    return this.#deps.excluded(node) || this.#dead.get(shape)?.has(node) === true;
  }

  #fits(node: ExistingNode, shape: PodShape): RequirementSet | undefined {
    const use = this.#uses.get(node);
    if (use && !stillFits(node, use, shape)) return this.#bury(node, shape);
    const { topology } = this.#deps;
    const labels = this.labelsFor(node, shape);
    if (!labels) return undefined;
    const target = targetOf(node);
    if (!shape.volumeAlternatives) {
      const set = topology.tighten(shape, labels, target);
      return set ?? (topology.permanent ? this.#bury(node, shape) : undefined);
    }
    for (const alternative of shape.volumeAlternatives) {
      if (alternative.hostname && !alternative.hostname.has(node.hostname)) continue;
      const narrowed = this.#narrowed(labels, alternative.set);
      const set = narrowed && topology.tighten(shape, narrowed, target);
      if (set) return set;
    }
    return undefined;
  }

  /** Labels that meet what is wanted stay what they are. */
  #narrowed(labels: RequirementSet, wanted: RequirementSet): RequirementSet | undefined {
    const joined = this.#deps.sets.join(labels, wanted, false);
    return joined && (this.#deps.keepKnownFaults ? joined : labels);
  }

  #bury(node: ExistingNode, shape: PodShape): undefined {
    const dead = this.#dead.get(shape);
    if (dead) dead.add(node);
    else this.#dead.set(shape, new Set([node]));
    return undefined;
  }

  #add(node: ExistingNode, pod: Pod, shape: PodShape, set: RequirementSet): void {
    const use = this.#uses.get(node) ?? {
      pods: [],
      set,
      remaining: node.remaining,
      volumes: node.volumes,
      ports: node.ports,
    };
    this.#uses.set(node, use);
    use.pods.push(pod);
    use.set = set;
    use.remaining = less(use.remaining, shape);
    if (shape.ports.length > 0) use.ports = [...use.ports, ...shape.ports];
    if (shape.volumes.size > 0) use.volumes = joinVolumes(use.volumes, shape.volumes);
    this.#deps.topology.record(shape, set, targetOf(node));
  }
}

export function targetOf(node: ExistingNode): TopologyTarget {
  return { hostname: node.hostname, taints: node.taints, fresh: false };
}

function stillFits(node: ExistingNode, use: Use, shape: PodShape): boolean {
  return (
    hasRoom(use.remaining, shape) &&
    withinLimits(node, use.volumes, shape.volumes) &&
    !portConflict(shape.ports, use.ports)
  );
}

/** Nothing fits where anything is overdrawn. */
function hasRoom(remaining: readonly number[], { requestIds, requestAmounts }: PodShape): boolean {
  for (let i = 0; i < requestIds.length; i++) {
    if ((requestAmounts[i] ?? 0) > (remaining[requestIds[i] ?? 0] ?? 0)) return false;
  }
  for (let i = 0; i < remaining.length; i++) if ((remaining[i] ?? 0) < 0) return false;
  return true;
}

function less(remaining: readonly number[], { requestIds, requestAmounts }: PodShape): number[] {
  const rest = [...remaining];
  for (let i = 0; i < requestIds.length; i++) {
    const id = requestIds[i] ?? 0;
    while (rest.length <= id) rest.push(0);
    rest[id] = (rest[id] ?? 0) - (requestAmounts[i] ?? 0);
  }
  return rest;
}

/** Also when the pod adds nothing: a node over its limit takes no more pods. */
function withinLimits(node: ExistingNode, attached: VolumesByDriver, added: VolumesByDriver): boolean {
  return overLimit(node, attached, added) === undefined;
}

/** The driver that would have to attach more volumes than it can. */
export function overLimit(
  node: ExistingNode,
  attached: VolumesByDriver,
  added: VolumesByDriver,
): { readonly driver: string; readonly count: number; readonly limit: number } | undefined {
  if (node.volumeLimits.size === 0) return undefined;
  for (const [driver, limit] of node.volumeLimits) {
    const count = new Set([...(attached.get(driver) ?? []), ...(added.get(driver) ?? [])]).size;
    if (count > limit) return { driver, count, limit };
  }
  return undefined;
}
