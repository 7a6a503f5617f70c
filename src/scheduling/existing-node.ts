/** A node of the cluster as the packer sees it before it adds anything (karpenter-core.md 4.5; upstream's existingnode.go). */
import { LABEL_HOSTNAME } from '../apis/labels.ts';
import type { Taint } from '../kube/objects.ts';
import { type Daemon, daemonOverhead, daemonsForNode } from './daemons.ts';
import type { HostPort } from './host-ports.ts';
import { Requirement } from './requirement.ts';
import type { RequirementSet, RequirementSets } from './requirement-sets.ts';
import { subtractResources, toResources } from './resource-list.ts';
import type { ResourceNames } from './resource-names.ts';
import type { Resources } from './resources.ts';
import { isInitialized, isManaged, isRegistered, nodeLabels, stateNodeName } from './state-node.ts';
import { isKnownEphemeral, sameTaint } from './taints.ts';
import type { StateNode } from './types.ts';

export interface ExistingNode {
  readonly index: number;
  readonly state: StateNode;
  readonly name: string;
  readonly hostname: string;
  readonly initialized: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** The labels that anything mentions. */
  readonly set: RequirementSet;
  /** What is left for pods once the daemons are there, by number of the resource; thousandths. */
  readonly remaining: readonly number[];
  readonly volumes: ReadonlyMap<string, ReadonlySet<string>>;
  readonly volumeLimits: ReadonlyMap<string, number>;
  readonly ports: readonly HostPort[];
}

/** What the pods that are bound to a node use. */
export interface NodeUsage {
  readonly requests: Resources;
  readonly daemonRequests: Resources;
  readonly ports: readonly HostPort[];
  readonly volumes: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface ExistingNodeContext {
  readonly sets: RequirementSets;
  readonly mentioned: ReadonlySet<string>;
  readonly daemons: readonly Daemon[];
  readonly names: ResourceNames;
  readonly usageOf: (nodeName: string) => NodeUsage;
  readonly volumeLimitsOf: (state: StateNode) => ReadonlyMap<string, number>;
}

export function existingNode(state: StateNode, index: number, context: ExistingNodeContext): ExistingNode {
  const labels = nodeLabels(state);
  const name = stateNodeName(state);
  const taints = nodeTaints(state);
  const usage = context.usageOf(state.node?.metadata.name ?? '');
  return {
    index,
    state,
    name,
    hostname: labels[LABEL_HOSTNAME] || name,
    initialized: isInitialized(state),
    labels,
    taints,
    set: labelSet(labels, context),
    remaining: context.names.amounts(remainingResources(state, taints, labels, usage, context.daemons)),
    volumes: usage.volumes,
    volumeLimits: context.volumeLimitsOf(state),
    ports: usage.ports,
  };
}

/** Initialized ones first, then by name. */
export function byReadiness(a: ExistingNode, b: ExistingNode): number {
  if (a.initialized !== b.initialized) return a.initialized ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function labelSet(labels: Readonly<Record<string, string>>, { sets, mentioned }: ExistingNodeContext): RequirementSet {
  const requirements: Requirement[] = [];
  for (const key in labels) if (mentioned.has(key)) requirements.push(Requirement.of(key, 'In', [labels[key] ?? '']));
  return sets.intern(requirements);
}

/** Until a node is initialized its startup taints and the well-known passing ones don't count. */
function nodeTaints(state: StateNode): readonly Taint[] {
  const { node, nodeClaim } = state;
  const registered = isRegistered(state);
  const taints = (node && registered ? node.spec.taints : nodeClaim?.spec.taints) ?? [];
  if (isInitialized(state) || !isManaged(state)) return taints;
  const startup = nodeClaim?.spec.startupTaints ?? [];
  return taints.filter((taint) => !isKnownEphemeral(taint) && !startup.some((other) => sameTaint(other, taint)));
}

/** What the node reports; until it is initialized the claim fills in what it does not report yet. */
function reported(state: StateNode, which: 'capacity' | 'allocatable'): Record<string, number> {
  const own: Record<string, number> = { ...toResources(state.node?.status?.[which]) };
  if (isInitialized(state) || !state.nodeClaim) return own;
  const promised = toResources(state.nodeClaim.status?.[which]);
  for (const name in promised) if (!own[name]) own[name] = promised[name] ?? 0;
  return own;
}

/** Capacity, counting the node itself as one of `nodes`. */
export function nodeCapacity(state: StateNode): Resources {
  return { ...reported(state, 'capacity'), nodes: 1000 };
}

export function nodeAllocatable(state: StateNode): Resources {
  return reported(state, 'allocatable');
}

function remainingResources(
  state: StateNode,
  taints: readonly Taint[],
  labels: Readonly<Record<string, string>>,
  usage: NodeUsage,
  daemons: readonly Daemon[],
): Resources {
  const expected = daemonOverhead(daemonsForNode(daemons, taints, labels));
  const outstanding: Record<string, number> = {};
  for (const name in expected) {
    outstanding[name] = Math.max(0, (expected[name] ?? 0) - (usage.daemonRequests[name] ?? 0));
  }
  return subtractResources(subtractResources(nodeAllocatable(state), usage.requests), outstanding);
}
