import { LABEL_CAPACITY_TYPE, LABEL_HOSTNAME, LABEL_INSTANCE_TYPE, LABEL_ZONE } from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';
import { formatMilli } from '../kube/quantity.ts';
import { cheapestOfferings } from '../scheduling/instance-offerings.ts';
import type { InstanceType, Offering } from '../scheduling/instance-type.ts';
import type { Requirements } from '../scheduling/requirements.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { PlannedNodeClaim, PodError, Results } from '../scheduling/types.ts';

/** Types whose cheapest offering is shown. */
const SHOWN_OFFERS = 5;

/** A NodeClaim that would be launched; keys as upstream's oracle has them. */
export interface PlannedClaimReport {
  readonly nodePool: string;
  /** `ns/name`, sorted. */
  readonly pods: readonly string[];
  /** In launch order. */
  readonly instanceTypes: readonly string[];
  /** Per hour, of the first type's cheapest offering that fits. */
  readonly cheapestPrice: number;
  /** The cheapest offering of each of the first few types: what is bought, and what would be if that were sold out. */
  readonly offers: readonly Offer[];
  readonly requests: Readonly<Record<string, string>>;
  /** Printed as upstream prints them, sorted. */
  readonly requirements: readonly string[];
}

/** One way to buy a node. */
export interface Offer {
  readonly instanceType: string;
  /** All that sell it at this price, sorted. */
  readonly zones: readonly string[];
  readonly capacityType: string;
  /** Per hour. */
  readonly price: number;
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
  const offers = claim.instanceTypes
    .slice(0, SHOWN_OFFERS)
    .flatMap((type) => cheapestOffer(type, claim.requirements, wellKnown) ?? []);
  const [first] = claim.instanceTypes;
  const requests = Object.entries(claim.requests).map(([name, milli]) => [name, formatMilli(name, milli)] as const);
  return {
    nodePool: claim.nodePool.metadata.name,
    pods: podNames(claim.pods),
    instanceTypes: claim.instanceTypes.map(({ name }) => name),
    cheapestPrice: offers.find(({ instanceType }) => instanceType === first?.name)?.price ?? 0,
    offers,
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

/** Of equal prices the capacity type that is first in the list. */
function cheapestOffer(
  type: InstanceType,
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): Offer | undefined {
  const cheapest = cheapestOfferings(type, requirements, wellKnown);
  const value = ({ requirements: own }: Offering, key: string): string => own.get(key).any();
  const [first] = cheapest;
  if (!first) return undefined;
  const capacityType = value(first, LABEL_CAPACITY_TYPE);
  const alike = cheapest.filter((offering) => value(offering, LABEL_CAPACITY_TYPE) === capacityType);
  const zones = [...new Set(alike.map((offering) => value(offering, LABEL_ZONE)))].sort();
  return { instanceType: type.name, zones, capacityType, price: first.price };
}

/** By bytes, as Go sorts. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
