import type { Labels } from '../../kube/label-requirement.ts';
import { ownValue } from '../../kube/label-requirement.ts';
import { matchesNode } from '../../kube/node-affinity.ts';
import type { LabelSelector, TopologySpreadConstraint } from '../../kube/objects.ts';
import { labelMatcher, SelectorError } from '../../kube/selectors.ts';
import { untoleratedTaint } from '../../kube/taints.ts';
import type { Filter, Rejection } from './filter.ts';
import type { LabelShape } from './label-shapes.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

/** A constraint ready to be counted. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly minDomains: number;
  matches(labels: Labels): boolean;
  /** Pods that count on a node: matching, in the pod's namespace, not on their way out. */
  count(node: NodeInfo): number;
  /** Whether the node's domain counts at all. */
  includes(node: NodeInfo): boolean;
}

const REASON = "node(s) didn't match pod topology spread constraints";
const SKEWED: Rejection = { plugin: 'PodTopologySpread', reasons: [REASON], resolvable: true };
const NO_LABEL: Rejection = {
  plugin: 'PodTopologySpread',
  reasons: [`${REASON} (missing required label)`],
  resolvable: false,
};

function selectorOf({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint, labels: Labels): LabelSelector {
  const own = matchLabelKeys.flatMap((key) => {
    const value = ownValue(labels, key);
    return value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }];
  });
  return { ...labelSelector, matchExpressions: [...(labelSelector?.matchExpressions ?? []), ...own] };
}

/** Counts with a test for labels; an empty selector counts nothing. */
export function spreadConstraint(
  pod: PodInfo,
  constraint: TopologySpreadConstraint,
  matches: ((labels: Labels) => boolean) | undefined,
): SpreadConstraint {
  const honoursAffinity = constraint.nodeAffinityPolicy !== 'Ignore';
  const honoursTaints = constraint.nodeTaintsPolicy === 'Honor';
  const { spec } = pod.pod;
  const known = new Map<LabelShape, boolean>();
  const counts = (shape: LabelShape): boolean => {
    let result = known.get(shape);
    if (result === undefined) {
      result = !shape.terminating && shape.namespace === pod.namespace && (matches?.(shape.labels) ?? false);
      known.set(shape, result);
    }
    return result;
  };
  return {
    maxSkew: constraint.maxSkew,
    topologyKey: constraint.topologyKey,
    minDomains: constraint.minDomains ?? 1,
    matches: matches ?? (() => true),
    count(node) {
      if (matches === undefined) return 0;
      let count = 0;
      for (const [shape, pods] of node.shapes) if (counts(shape)) count += pods;
      return count;
    },
    includes: (node) =>
      (!honoursAffinity || matchesNode(spec, node.node)) &&
      (!honoursTaints || !untoleratedTaint(node.taints, spec.tolerations, ['NoSchedule', 'NoExecute'])),
  };
}

/** The constraints a pod states itself, of one kind. */
export function ownConstraints(
  pod: PodInfo,
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway',
): readonly SpreadConstraint[] {
  const stated = pod.pod.spec.topologySpreadConstraints ?? [];
  return stated
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => {
      if (constraint.labelSelector === undefined) return spreadConstraint(pod, constraint, () => false);
      const selector = selectorOf(constraint, pod.labels);
      const empty = Object.keys(selector.matchLabels ?? {}).length === 0 && selector.matchExpressions?.length === 0;
      return spreadConstraint(pod, constraint, empty ? undefined : matcher(selector));
    });
}

function matcher(selector: LabelSelector): (labels: Labels) => boolean {
  try {
    return labelMatcher(selector);
  } catch (error) {
    if (error instanceof SelectorError) return () => false;
    throw error;
  }
}

export const hasKeys = (node: NodeInfo, constraints: readonly SpreadConstraint[]): boolean =>
  constraints.every(({ topologyKey }) => node.labels[topologyKey] !== undefined);

interface Domains {
  readonly counts: ReadonlyMap<string, number>;
  readonly least: number;
}

function countDomains(
  constraint: SpreadConstraint,
  constraints: readonly SpreadConstraint[],
  nodes: readonly NodeInfo[],
): Domains {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const value = ownValue(node.labels, constraint.topologyKey);
    if (value === undefined || !hasKeys(node, constraints) || !constraint.includes(node)) continue;
    counts.set(value, (counts.get(value) ?? 0) + constraint.count(node));
  }
  // Too few domains yet: the missing ones count as empty.
  const least = counts.size < constraint.minDomains ? 0 : Math.min(...counts.values());
  return { counts, least };
}

/** Required spreading: no domain may get more than maxSkew ahead of the emptiest. */
export const podTopologySpread: Filter = {
  plugin: 'PodTopologySpread',
  clusterWide: true,
  prepare(pod, view) {
    const constraints = ownConstraints(pod, 'DoNotSchedule');
    if (constraints.length === 0) return undefined;
    const domains = constraints.map((constraint) => countDomains(constraint, constraints, view.nodes));
    const own = constraints.map((constraint) => (constraint.matches(pod.labels) ? 1 : 0));
    return {
      check(node) {
        for (const [index, { topologyKey, maxSkew }] of constraints.entries()) {
          const value = node.labels[topologyKey];
          if (value === undefined) return NO_LABEL;
          const { counts, least } = domains[index] as Domains;
          if ((counts.get(value) ?? 0) + (own[index] ?? 0) - least > maxSkew) return SKEWED;
        }
        return undefined;
      },
    };
  },
};
