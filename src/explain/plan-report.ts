import { LABEL_HOSTNAME, LABEL_INSTANCE_TYPE } from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';
import { formatMilli } from '../kube/quantity.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import type { Requirements } from '../scheduling/requirements.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { PlannedNodeClaim, PodError, Results } from '../scheduling/types.ts';

/** A NodeClaim that would be launched; keys as upstream's oracle has them. */
export interface PlannedClaimReport {
  readonly nodePool: string;
  /** `ns/name`, sorted. */
  readonly pods: readonly string[];
  /** In launch order. */
  readonly instanceTypes: readonly string[];
  /** Per hour, of the first type's cheapest offering that fits. */
  readonly cheapestPrice: number;
  readonly requests: Readonly<Record<string, string>>;
  /** Printed as upstream prints them, sorted. */
  readonly requirements: readonly string[];
}

/** Why a pod has no place; `targets` nearest miss first. */
export type ReportedPodError = Pick<PodError, 'code' | 'message' | 'targets'>;

export interface PlanReport {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'PlanReport';
  readonly newNodeClaims: readonly PlannedClaimReport[];
  /** Node → pods that would go there. */
  readonly existingNodes: Readonly<Record<string, readonly string[]>>;
  readonly podErrors: Readonly<Record<string, ReportedPodError>>;
  /** Per hour, of all new NodeClaims at their cheapest. */
  readonly totalPrice: number;
  readonly durationMs: number;
}

/** What the controller would do next with the pending pods. `durationMs` is the time that the packer took. */
export function planReport(results: Results, wellKnown: ReadonlySet<string>, durationMs: number): PlanReport {
  const newNodeClaims = results.newNodeClaims
    .map((claim) => plannedClaimReport(claim, wellKnown))
    .sort((a, b) => compare(a.pods[0] ?? '', b.pods[0] ?? ''));
  const existing = results.existingNodes.map(({ node, pods }) => [stateNodeName(node), podNames(pods)] as const);
  const errors = [...results.podErrors].map(([pod, { code, message, targets }]) => {
    const error: ReportedPodError = targets ? { code, message, targets } : { code, message };
    return [podName(pod), error] as const;
  });
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'PlanReport',
    newNodeClaims,
    existingNodes: Object.fromEntries(existing.sort(([a], [b]) => compare(a, b))),
    podErrors: Object.fromEntries(errors.sort(([a], [b]) => compare(a, b))),
    totalPrice: newNodeClaims.reduce((sum, claim) => sum + claim.cheapestPrice, 0),
    durationMs,
  };
}

export function plannedClaimReport(claim: PlannedNodeClaim, wellKnown: ReadonlySet<string>): PlannedClaimReport {
  const first = claim.instanceTypes[0];
  const requests = Object.entries(claim.requests).map(([name, milli]) => [name, formatMilli(name, milli)] as const);
  return {
    nodePool: claim.nodePool.metadata.name,
    pods: podNames(claim.pods),
    instanceTypes: claim.instanceTypes.map(({ name }) => name),
    cheapestPrice: first ? (cheapestOffering(first, claim.requirements, wellKnown) ?? 0) : 0,
    requests: Object.fromEntries(requests.sort(([a], [b]) => compare(a, b))),
    requirements: [...claim.requirements]
      .filter(({ key }) => key !== LABEL_HOSTNAME && key !== LABEL_INSTANCE_TYPE)
      .map(String)
      .sort(),
  };
}

export const podName = (pod: Pod): string => `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name}`;

function podNames(pods: readonly Pod[]): string[] {
  return pods.map(podName).sort();
}

function cheapestOffering(
  type: InstanceType,
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): number | undefined {
  const prices = type.offerings
    .filter((offering) => offering.available && requirements.compatible(offering.requirements, wellKnown))
    .map(({ price }) => price);
  return prices.length > 0 ? Math.min(...prices) : undefined;
}

/** By bytes, as Go sorts. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
