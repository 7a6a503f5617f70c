import type { Pod } from '../../src/kube/objects.ts';
import { parseQuantityMilli } from '../../src/kube/quantity.ts';
import { cheapestPrice, type PlannedNodeClaim, type Results } from '../../src/scheduling/index.ts';
import { stateNodeName } from '../../src/scheduling/state-node.ts';
import type { UpstreamSolve } from './oracle.ts';

/** What a pass decided, in a form in which two decisions can be compared. */
export interface Decision {
  readonly newNodeClaims: readonly DecidedClaim[];
  readonly existingNodes: Readonly<Record<string, readonly string[]>>;
  readonly podErrors: readonly string[];
  /** What is said about each of them; with placeholders and the order of parts evened out. */
  readonly messages: Readonly<Record<string, string>>;
  /** Of the cheapest offering of each new claim, summed. */
  readonly price: number;
}

export interface DecidedClaim {
  readonly nodePool: string;
  readonly pods: readonly string[];
  /** In launch order. */
  readonly instanceTypes: readonly string[];
  /** As upstream prints them, sorted; without hostname and instance type. */
  readonly requirements: readonly string[];
  /** Thousandths. */
  readonly requests: Readonly<Record<string, number>>;
}

const LEFT_OUT: ReadonlySet<string> = new Set(['kubernetes.io/hostname', 'node.kubernetes.io/instance-type']);

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
const sortedRecord = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(byName));
const podName = (pod: Pod): string => `${pod.metadata.namespace}/${pod.metadata.name}`;

export function ourDecision(results: Results, wellKnown: ReadonlySet<string>): Decision {
  const errors = [...results.podErrors].filter(([, error]) => error.code !== 'NoNodePools');
  return {
    newNodeClaims: results.newNodeClaims.map(ourClaim).sort(byFirstPod),
    existingNodes: sortedRecord(
      Object.fromEntries(
        results.existingNodes.map(({ node, pods }) => [stateNodeName(node), pods.map(podName).sort()]),
      ),
    ),
    podErrors: errors.map(([pod]) => podName(pod)).sort(),
    messages: Object.fromEntries(errors.map(([pod, { message }]) => [podName(pod), evened(message)])),
    price: totalPrice(results.newNodeClaims, wellKnown),
  };
}

export function totalPrice(claims: readonly PlannedNodeClaim[], wellKnown: ReadonlySet<string>): number {
  let total = 0;
  for (const { instanceTypes, requirements } of claims) {
    const price = instanceTypes[0] ? cheapestPrice(instanceTypes[0], requirements, wellKnown) : 0;
    total += Number.isFinite(price) ? price : 0;
  }
  return total;
}

function ourClaim(claim: PlannedNodeClaim): DecidedClaim {
  return {
    nodePool: claim.nodePool.metadata.name,
    pods: claim.pods.map(podName).sort(),
    instanceTypes: claim.instanceTypes.map((type) => type.name),
    requirements: [...claim.requirements]
      .filter(({ key }) => !LEFT_OUT.has(key))
      .map(String)
      .sort(),
    requests: sortedRecord(claim.requests),
  };
}

export function upstreamDecision(answer: UpstreamSolve): Decision {
  const claims = (answer.newNodeClaims ?? []).map((claim) => ({
    nodePool: claim.nodePool,
    pods: claim.pods,
    instanceTypes: claim.instanceTypes ?? [],
    requirements: claim.requirements ?? [],
    requests: sortedRecord(
      Object.fromEntries(Object.entries(claim.requests).map(([name, text]) => [name, parseQuantityMilli(text)])),
    ),
  }));
  return {
    newNodeClaims: claims.sort(byFirstPod),
    existingNodes: sortedRecord(answer.existingNodes),
    podErrors: Object.keys(answer.podErrors).sort(),
    messages: Object.fromEntries(Object.entries(answer.podErrors).map(([pod, text]) => [pod, evened(text)])),
    price: answer.totalPrice,
  };
}

function evened(message: string): string {
  const parts = message.replace(/hostname-placeholder-\d+/g, 'hostname-placeholder').split(/; |, (?=key )/);
  return parts.sort().join('; ');
}

function byFirstPod(a: DecidedClaim, b: DecidedClaim): number {
  return (a.pods[0] ?? '') < (b.pods[0] ?? '') ? -1 : 1;
}

/** The same in everything but the order of sums. */
export function sameDecision(a: Decision, b: Decision): boolean {
  return text(a) === text(b);
}

function text({ newNodeClaims, existingNodes, podErrors }: Decision): string {
  return JSON.stringify([newNodeClaims, existingNodes, podErrors]);
}

/** Whether `ours` leaves fewer pods unplaced than `theirs`, or as many at no higher price. */
export function noWorse(ours: Decision, theirs: Decision): boolean {
  if (ours.podErrors.length !== theirs.podErrors.length) return ours.podErrors.length < theirs.podErrors.length;
  return ours.price <= theirs.price + 1e-9;
}
