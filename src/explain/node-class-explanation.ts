import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { patternText, type SoldOut } from '../cloudprovider/sold-out.ts';
import { conditionIsTrue, findCondition } from '../kube/conditions.ts';
import type { Condition, Event, KubeObject } from '../kube/objects.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import type { ConditionMeaning } from './condition-meanings.ts';
import {
  type ConditionExplanation,
  explainConditions,
  latestEvents,
  type ObjectEvent,
} from './conditions-explained.ts';
import type { Ec2ClassFacts } from './ec2-class-facts.ts';

/** A claim that is no longer what its class asks for. */
export interface DriftedClaim {
  readonly nodeClaim: string;
  readonly node: string | null;
  readonly nodePool: string | null;
  readonly reason: string;
  /** Null of one that the controller has not told of yet. */
  readonly since: string | null;
  /** What differs, where that can be seen: what the node has, and what a new one would have. */
  readonly what: string | null;
}

export interface NodeClassExplanation {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'NodeClassExplanation';
  /** Kind of the class. */
  readonly nodeClass: string;
  readonly name: string;
  readonly deletionTimestamp?: string;
  /** Why nothing is launched with it. */
  readonly problems: readonly string[];
  readonly conditions: readonly ConditionExplanation[];
  readonly pools: readonly {
    readonly nodePool: string;
    readonly ready: boolean;
    readonly nodeClaims: number;
    readonly nodes: number;
  }[];
  /** Claims of no pool that is there included. */
  readonly nodeClaims: number;
  readonly nodes: number;
  /** What can be bought with it now, whatever pools want; null where that is not known. */
  readonly canBuy: { readonly types: number; readonly offerings: number } | null;
  readonly soldOut: readonly { readonly offering: string; readonly until: string | null }[];
  readonly drifted: readonly DriftedClaim[];
  readonly ec2?: Ec2ClassFacts;
  /** Of the fake cloud: how long an instance takes to appear. */
  readonly nodeRegistrationDelay?: string;
  readonly events: readonly ObjectEvent[];
}

/** Any provider's class. */
export interface ExplainedClass extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** What only the provider of the class knows of it. */
export interface ProviderView {
  readonly meanings: Readonly<Record<string, ConditionMeaning>>;
  readonly problem?: string | undefined;
  /** Undefined where nobody can tell. */
  readonly types: readonly InstanceType[] | undefined;
  /** How a claim of the class has drifted from it; undefined for one that hasn't. */
  readonly driftOf: (nodeClaim: NodeClaim) => Pick<DriftedClaim, 'reason' | 'what'> | undefined;
  /** Reasons of the condition Drifted that are the class's doing. */
  readonly driftReasons: ReadonlySet<string>;
  readonly facts: Pick<NodeClassExplanation, 'ec2' | 'nodeRegistrationDelay'>;
}

export interface NodeClassQuestion {
  readonly nodeClass: ExplainedClass;
  readonly provider: ProviderView;
  readonly pools: readonly NodePool[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly soldOut: readonly SoldOut[];
  readonly events: readonly Event[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Whether nodes can be launched with a class, with what, who uses it, and which nodes have drifted from it. */
export function explainNodeClass(question: NodeClassQuestion): NodeClassExplanation {
  const { nodeClass, provider, soldOut, events, now } = question;
  const { name, deletionTimestamp } = nodeClass.metadata;
  const isOfClass = (ref: { readonly kind: string; readonly name: string }): boolean =>
    ref.kind === nodeClass.kind && ref.name === name;
  const claims = question.nodeClaims.filter(({ spec }) => isOfClass(spec.nodeClassRef));
  const pools = question.pools.filter(({ spec }) => isOfClass(spec.template.spec.nodeClassRef));
  const { types, meanings, facts } = provider;
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'NodeClassExplanation',
    nodeClass: nodeClass.kind ?? '',
    name,
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
    problems: problemsOf(question, claims.length),
    conditions: explainConditions(nodeClass.status?.conditions, meanings),
    pools: pools.map((pool) => {
      const own = claims.filter(({ metadata }) => metadata.labels?.[LABEL_NODEPOOL] === pool.metadata.name);
      return { nodePool: pool.metadata.name, ready: conditionIsTrue(pool, 'Ready'), ...counted(own) };
    }),
    ...counted(claims),
    canBuy: types ? canBuy(types) : null,
    soldOut: soldOut
      .filter(({ until = Number.POSITIVE_INFINITY }) => until > now)
      .map((entry) => ({
        offering: patternText(entry),
        until: entry.until === undefined ? null : new Date(entry.until).toISOString(),
      })),
    drifted: claims.flatMap((claim) => driftedClaim(claim, provider)),
    ...facts,
    events: latestEvents(nodeClass, events),
  };
}

function problemsOf({ nodeClass, provider }: NodeClassQuestion, claims: number): readonly string[] {
  const { deletionTimestamp, generation } = nodeClass.metadata;
  const ready = findCondition(nodeClass, 'Ready');
  const isStale = ready?.observedGeneration !== undefined && ready.observedGeneration !== generation;
  return [
    ...(deletionTimestamp
      ? [
          `it is being deleted${claims > 0 ? `, and waits for ${claims} NodeClaim${claims > 1 ? 's' : ''} to go first` : ''}`,
        ]
      : []),
    ...(isStale ? ['its latest edit has not been looked at yet: nothing is launched until then'] : []),
    ...(provider.problem === undefined || deletionTimestamp
      ? []
      : [`nothing can be bought with it: ${provider.problem}`]),
  ];
}

function counted(claims: readonly NodeClaim[]): { readonly nodeClaims: number; readonly nodes: number } {
  return { nodeClaims: claims.length, nodes: claims.filter(({ status }) => status?.nodeName).length };
}

function canBuy(types: readonly InstanceType[]): NodeClassExplanation['canBuy'] {
  const onSale = types.map(({ offerings }) => offerings.filter(({ available }) => available).length);
  return { types: onSale.filter((n) => n > 0).length, offerings: onSale.reduce((sum, n) => sum + n, 0) };
}

/** By what the controller says; else by what can be seen without it. */
function driftedClaim(claim: NodeClaim, { driftOf, driftReasons }: ProviderView): readonly DriftedClaim[] {
  const said = findCondition(claim, 'Drifted');
  const isSaid = said?.status === 'True';
  if (isSaid && !driftReasons.has(said.reason ?? '')) return [];
  const seen = driftOf(claim);
  const reason = isSaid ? said.reason : seen?.reason;
  if (reason === undefined) return [];
  return [
    {
      nodeClaim: claim.metadata.name,
      node: claim.status?.nodeName ?? null,
      nodePool: claim.metadata.labels?.[LABEL_NODEPOOL] ?? null,
      reason,
      since: isSaid ? (said.lastTransitionTime ?? null) : null,
      what: seen?.reason === reason ? seen.what : null,
    },
  ];
}
