import { parseNillableDuration } from '../apis/duration.ts';
import type { DisruptionReason } from '../apis/node-pool.ts';
import { poolBudgets } from '../disruption/budgets.ts';
import type { Blocker, SimulationOutcome } from '../disruption/index.ts';
import { findCondition } from '../kube/conditions.ts';
import type { Pod, PodDisruptionBudget } from '../kube/objects.ts';
import { formatTimestamp } from '../kube/timestamp.ts';
import { doNotDisrupt } from '../scheduling/pod-lifecycle.ts';
import { nodePoolName } from '../scheduling/state-node.ts';
import type { PlannedNodeClaim, StateNode } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { nextAllowance } from './budget-windows.ts';
import { plannedClaimReport, podName } from './plan-report.ts';

const SHOWN_TYPES = 3;

/** Blockers in plain words, with what is known about the objects they name. */
export class BlockerWords {
  readonly #analysis: Analysis;
  readonly #pdbs: ReadonlyMap<string, PodDisruptionBudget>;
  readonly #pods: ReadonlyMap<string, Pod>;

  constructor(analysis: Analysis) {
    this.#analysis = analysis;
    const { podDisruptionBudgets, pods } = analysis.world;
    this.#pdbs = new Map(podDisruptionBudgets.map((pdb) => [keyOf(pdb), pdb]));
    this.#pods = new Map(pods.map((pod) => [podName(pod), pod]));
  }

  /** Undefined when the blocker's message says all there is. `removal` and `price` (per hour) are of all the nodes. */
  of(
    nodes: readonly StateNode[],
    { code, objects, reason = 'Underutilized' }: Blocker,
    removal: SimulationOutcome | undefined,
    price: number | undefined,
  ): string | undefined {
    const [node] = nodes;
    if (!node) return undefined;
    switch (code) {
      case 'PodDisruptionBudget':
      case 'MultiplePodDisruptionBudgets':
        return this.#pdbWords(objects);
      case 'DoNotDisruptPod':
        return this.#protectedPod(objects);
      case 'ConsolidateAfter':
        return this.#quietTime(node);
      case 'Budget':
        return this.#budget(node, reason);
      case 'NotInitialized':
        return notInitialized(node);
      case 'PodsUnschedulable':
        return removal && this.#homeless(removal);
      case 'NeedsSeveralNodes':
      case 'NotCheaper':
      case 'SpotToSpotDisabled':
      case 'SpotToSpotTooFewTypes':
        return removal && this.#launches(nodes, removal.newNodeClaims, price);
      default:
        return undefined;
    }
  }

  #pdbWords(objects: readonly string[]): string | undefined {
    const names = named(objects, 'PodDisruptionBudget');
    const [pod] = named(objects, 'Pod');
    if (!pod || names.length === 0) return undefined;
    if (names.length > 1) {
      return `pod ${pod} is covered by ${names.length} PodDisruptionBudgets (${names.join(', ')}), and the eviction API takes one at most`;
    }
    const [name = ''] = names;
    const { currentHealthy, desiredHealthy, disruptionsAllowed = 0 } = this.#pdbs.get(name)?.status ?? {};
    const healthy =
      currentHealthy === undefined || desiredHealthy === undefined
        ? ''
        : `: ${currentHealthy} healthy, ${desiredHealthy} wanted`;
    return `pod ${pod} may not be evicted: PodDisruptionBudget ${name} allows ${disruptionsAllowed} disruptions${healthy}`;
  }

  #protectedPod(objects: readonly string[]): string | undefined {
    const [name] = named(objects, 'Pod');
    const pod = name === undefined ? undefined : this.#pods.get(name);
    if (!pod) return undefined;
    const state = doNotDisrupt(pod, this.#analysis.world.now);
    const until = state.state === 'active' && state.until ? ` until ${formatTimestamp(state.until)}` : '';
    return `pod ${name} has the annotation karpenter.sh/do-not-disrupt${until}`;
  }

  /** The clock starts with the last pod that came or went, or with the node. */
  #quietTime(node: StateNode): string | undefined {
    const { nodeClaim } = node;
    const pool = this.#poolOf(node);
    const quiet = parseNillableDuration(pool?.spec.disruption?.consolidateAfter, '0s');
    const last = nodeClaim?.status?.lastPodEventTime;
    const initialized = findCondition(nodeClaim, 'Initialized');
    const since = last ?? (initialized?.status === 'True' ? initialized.lastTransitionTime : undefined);
    if (quiet === undefined || since === undefined) return undefined;
    const what = last ? 'a pod came or went' : 'it was initialized';
    const ends = Date.parse(since) + quiet;
    const when =
      ends > this.#analysis.world.now
        ? `it counts as quiet from ${formatTimestamp(ends)}`
        : 'its condition Consolidatable has not been renewed yet';
    return `${what} at ${since}; ${when}`;
  }

  #budget(node: StateNode, reason: DisruptionReason): string | undefined {
    const { world } = this.#analysis;
    const pool = this.#poolOf(node);
    const budget = pool && poolBudgets(world, reason).get(pool.metadata.name);
    if (!pool || !budget) return undefined;
    const next = nextAllowance(pool, reason, budget.nodes, world.now);
    const isByReason = pool.spec.disruption?.budgets?.some(({ reasons }) => reasons !== undefined) ?? false;
    const of = isByReason ? ` for reason ${reason}` : '';
    const later = next ? `; ${next.allowed ?? 'any number'} from ${formatTimestamp(next.at)}` : '';
    const down = budget.disrupting > 0 ? `, ${budget.disrupting} down or leaving already` : '';
    const others = budget.remaining > 0 ? ', and others come first' : '';
    return `budgets of NodePool ${pool.metadata.name} allow ${budget.allowed} of ${budget.nodes} nodes now${of}${down}${others}${later}`;
  }

  #poolOf(node: StateNode) {
    const name = nodePoolName(node);
    return this.#analysis.world.pools.find(({ nodePool }) => nodePool.metadata.name === name)?.nodePool;
  }

  #homeless({ homeless }: SimulationOutcome): string | undefined {
    const [first] = [...homeless].sort(([a], [b]) => (podName(a) < podName(b) ? -1 : 1));
    if (!first) return undefined;
    const [pod, error] = first;
    const others = homeless.size > 1 ? `; and ${homeless.size - 1} other pods are no better off` : '';
    return `pod ${podName(pod)} would have no place: ${error.message.trimEnd()}${others}`;
  }

  /** Pods that wait anyway are packed along, and may be what one of the new nodes is for. */
  #launches(
    nodes: readonly StateNode[],
    claims: readonly PlannedNodeClaim[],
    price: number | undefined,
  ): string | undefined {
    const names = new Set(nodes.map(({ node }) => node?.metadata.name));
    const own = claims.filter(({ pods }) => pods.some(({ spec }) => spec.nodeName && names.has(spec.nodeName)));
    const others = claims.filter((claim) => !own.includes(claim));
    const [waiting] = others.flatMap(({ pods }) => pods.map(podName));
    const one = nodes.length === 1;
    const now = price === undefined ? '' : `; ${one ? 'it costs' : 'they cost'} ${dollars(price)}`;
    const rule = claims.length > 1 ? `, and ${one ? 'a node is' : 'nodes are'} replaced by one other at most` : '';
    const along = `pods that wait anyway (${waiting}) need ${this.#listed(others)}, which counts as ${one ? 'its' : 'their'} replacement`;
    if (claims.length === 0) return undefined;
    if (own.length === 0) return `${one ? 'its' : 'their'} pods find room elsewhere, but ${along}${now}${rule}`;
    return `${one ? 'its' : 'their'} pods need ${this.#listed(own)}${others.length > 0 ? `, and ${along}` : ''}${now}${rule}`;
  }

  #listed(claims: readonly PlannedNodeClaim[]): string {
    const reports = claims.map((claim) => plannedClaimReport(claim, this.#analysis.wellKnown));
    const total = reports.reduce((sum, { cheapestPrice }) => sum + cheapestPrice, 0);
    const types = reports.slice(0, SHOWN_TYPES).map(({ instanceTypes }) => instanceTypes[0] ?? 'a node');
    const more = reports.length > SHOWN_TYPES ? ` and ${reports.length - SHOWN_TYPES} more` : '';
    const several = reports.length > 1 ? `${reports.length} new nodes, ` : '';
    return `${several}${types.join(', ')}${more} at ${dollars(total)}`;
  }
}

/** What its claim says about it. */
function notInitialized({ node, nodeClaim }: StateNode): string | undefined {
  const { reason = '', message = '' } = findCondition(nodeClaim, 'Initialized') ?? {};
  const said = [reason, message].filter((text) => text !== '' && text !== 'Initialized').join(': ');
  const ready = findCondition(node, 'Ready')?.status === 'True' ? '' : 'the node is not Ready';
  return [ready, said].filter(Boolean).join('; ') || undefined;
}

const dollars = (price: number): string => `$${price.toFixed(4)}/h`;

function keyOf({ metadata }: PodDisruptionBudget): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name}`;
}

/** Names of the objects of a kind, as `namespace/name`. */
function named(objects: readonly string[], kind: string): readonly string[] {
  return objects.filter((object) => object.startsWith(`${kind}/`)).map((object) => object.slice(kind.length + 1));
}
