import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { WELL_KNOWN_LABELS } from '../../src/apis/labels.ts';
import { scoreText } from '../../src/controllers/disruption/events.ts';
import { isManagedPool } from '../../src/controllers/managed.ts';
import {
  type Blocker,
  type Command,
  Disruption,
  type DisruptOptions,
  METHOD_NAMES,
  type MethodName,
  type MethodResult,
} from '../../src/disruption/index.ts';
import { isVirtualPod } from '../../src/scheduling/buffers/virtual-pods.ts';
import { solve, type World } from '../../src/scheduling/index.ts';
import { stateNodeName } from '../../src/scheduling/state-node.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';
import { disruptOptions } from '../factories/index.ts';
import { catalogueFile, instanceTypes, RESERVATION_ID } from './catalogues.ts';
import { NOW, type Verdict } from './compare-world.ts';
import {
  eventText,
  JUDGED,
  type MethodDecision,
  type NodeDecision,
  ordered,
  ourCommand,
  ourEvents,
  ourMethod,
  type UpstreamDisruption,
  upstreamMethods,
  withoutOrder,
} from './disruption-decision.ts';
import { isChance, isEquivalent, isMatterOfOrder, type Question, questions, unanswered } from './fleet-questions.ts';
import type { Oracle } from './oracle.ts';
import type { FleetState, RandomFleet } from './random-fleet.ts';

const providerKeys: ReadonlySet<string> = new Set([...KWOK_WELL_KNOWN_LABELS, RESERVATION_ID]);
const wellKnown: ReadonlySet<string> = new Set([...WELL_KNOWN_LABELS, ...providerKeys]);
const RULES = { wellKnownLabels: providerKeys, restrictedLabelDomains: new Set(['karpenter.kwok.sh']) };
const VALIDATION_MS = 15_000;
const NOMINATION_MS = 20_000;
/** Upstream leaves the order of equal nodes, of pools and of topology domains to chance. */
const MORE_RUNS = 30;
const MORE_RUNS_OF_MANY = 8;
const MANY = 20;

/** One thing that was decided, and by whom how. */
export interface Difference {
  /** `Method` or `Method node`, and what about it. */
  readonly about: string;
  readonly ours: string;
  readonly theirs: readonly string[];
}

export interface FleetComparison {
  readonly verdict: Verdict;
  readonly ours: readonly MethodDecision[];
  readonly blockers: ReadonlyMap<string, readonly Blocker[]>;
  readonly differences: readonly Difference[];
  /** Decided otherwise than in any of upstream's runs, but as well. */
  readonly equivalents: readonly Difference[];
  /** Decided as upstream only with the faults that differences.md lists. */
  readonly listed: readonly Difference[];
}

interface OurAnswer {
  readonly methods: readonly MethodDecision[];
  readonly blockers: ReadonlyMap<string, readonly Blocker[]>;
}

function worldOf(fleet: RandomFleet, state: FleetState, now: number): World {
  const { nodeOverlay, capacityBuffer = false } = fleet.gates ?? {};
  const world = worldFromObjects(state.objects, {
    instanceTypes: instanceTypes(fleet.catalogue),
    now,
    ...(nodeOverlay ? { overlayRules: RULES } : {}),
    buffers: capacityBuffer,
  });
  const cloud = {
    supportedNodeClasses: () => [
      { group: 'karpenter.kwok.sh', version: 'v1alpha1', kind: 'KWOKNodeClass', plural: '' },
    ],
  };
  return {
    ...world,
    pools: world.pools.filter(({ nodePool }) => isManagedPool(cloud, nodePool)),
    nodes: world.nodes.map((node) => ({
      ...node,
      markedForDeletion: node.markedForDeletion || state.marked.includes(stateNodeName(node)),
      ...(state.nominated.includes(stateNodeName(node)) ? { nominatedUntil: now + NOMINATION_MS } : {}),
    })),
  };
}

function engine(fleet: RandomFleet, state: FleetState, now: number, keepKnownFaults: boolean): Disruption {
  const { schedule: base, ...options } = disruptOptions();
  const schedule = {
    ...base,
    preferencePolicy: fleet.preferencePolicy,
    minValuesPolicy: fleet.minValuesPolicy,
    ...RULES,
    reservationIDLabel: RESERVATION_ID,
    keepKnownFaults,
  };
  const world = worldOf(fleet, state, now);
  return new Disruption(world, {
    ...options,
    schedule,
    spotToSpotConsolidation: fleet.spotToSpot,
    queued: new Set(state.queued),
    bufferNodes: fleet.gates?.capacityBuffer ? nodesWithRoom(world, schedule) : new Set(),
  });
}

/** It is the provisioner's pass that finds places for the room of buffers. */
function nodesWithRoom(world: World, schedule: DisruptOptions['schedule']): ReadonlySet<string> {
  const results = solve(world, 'provisionable', {
    ...schedule,
    reservedOfferingMode: 'Strict',
    enforceConsolidateAfter: false,
  });
  const hosts = results.existingNodes.filter(({ pods }) => pods.some(isVirtualPod));
  return new Set(hosts.map(({ node }) => stateNodeName(node)));
}

function ourAnswer(fleet: RandomFleet, keepKnownFaults: boolean): OurAnswer {
  const now = Date.parse(NOW);
  const disruption = engine(fleet, fleet, now, keepKnownFaults);
  const later = engine(fleet, fleet.later ?? fleet, now + VALIDATION_MS, keepKnownFaults);
  const nodes = new Set(fleet.objects.flatMap(({ kind, metadata }) => (kind === 'Node' ? [metadata.name] : [])));
  const blockers = new Map<string, readonly Blocker[]>();
  const methods = METHOD_NAMES.map((name): MethodDecision => {
    const result = disruption.run(name);
    const decision = ourMethod(result, wellKnown);
    const candidates = new Set(result.candidates);
    const events = [...result.blocked].flatMap(([node, found]) => {
      if (candidates.has(node)) return [];
      blockers.set(`${name} ${node}`, found);
      // Upstream says the same of the node, if there is one, and of the claim.
      return ['NodeClaim', ...(nodes.has(node) ? ['Node'] : [])].flatMap((kind) => ourEvents(`${kind}/${node}`, found));
    });
    for (const [pool, { nodes: total, allowed }] of disruption.budgets(reasonOf(name))) {
      if (total === 0 || allowed !== 0) continue;
      const message = `No allowed disruptions for disruption reason ${reasonOf(name)} due to blocking budget`;
      events.push(eventText(`NodePool/${pool}`, 'DisruptionBlocked', message));
    }
    const each = JUDGED.has(name) ? result.candidates.map((node) => [node, judged(node, name)] as const) : [];
    return {
      ...decision,
      computed: decision.commands,
      ...validated(result.commands, later),
      events: ordered(events),
      approvals: approvals(result),
      each: Object.fromEntries(each),
    };
  });
  function judged(node: string, name: MethodName): NodeDecision {
    const found = disruption.judge(node, name);
    if (found.command) return { command: ourCommand(found.command, wellKnown), events: [] };
    blockers.set(`${name} ${node}`, found.blockers);
    return { command: undefined, events: ourEvents(`Node/${node}`, found.blockers) };
  }
  return { methods, blockers };
}

/** As the controller tells of them. */
function approvals({ method, moves, commands: [command] }: MethodResult): readonly string[] {
  const [node] = command?.candidates ?? [];
  return ordered(
    moves.flatMap(({ nodePool, approved, score }) => {
      if (!approved || !score) return [];
      const object =
        method === 'MultiNodeConsolidation' ? `NodePool/${nodePool}` : `Node/${node && stateNodeName(node)}`;
      return [`${object} ${scoreText(score)}`];
    }),
  );
}

function reasonOf(name: MethodName) {
  if (name === 'Emptiness') return 'Empty';
  return name === 'Drift' || name === 'StaticDrift' ? 'Drifted' : 'Underutilized';
}

function validated(commands: readonly Command[], later: Disruption): Pick<MethodDecision, 'commands' | 'rejected'> {
  const [command] = commands;
  if (!command || command.reason === 'Drifted') {
    return { commands: commands.map((c) => ourCommand(c, wellKnown)), rejected: '' };
  }
  const outcome = later.validate(command);
  if ('command' in outcome) return { commands: [ourCommand(outcome.command, wellKnown)], rejected: '' };
  return { commands: [], rejected: withoutOrder(`${outcome.failure}: ${outcome.message}`) };
}

/** All five methods on both sides; where chance may have decided upstream's answer, it is asked again and again. */
export async function compareFleet(fleet: RandomFleet, oracle: Oracle): Promise<FleetComparison> {
  const ids = ({ nominated, marked, queued }: FleetState) => ({
    nominated: nominated.map((name) => `kwok://${name}`),
    marked: marked.map((name) => `kwok://${name}`),
    queued: queued.map((name) => `kwok://${name}`),
  });
  const list = (items: FleetState['objects']) => ({ apiVersion: 'v1', kind: 'List', items }) as const;
  const file = catalogueFile(fleet.catalogue);
  const ask = async (anyOrder: boolean, each: boolean): Promise<MethodDecision[]> => {
    const answer = await oracle.ask({
      command: 'disrupt',
      world: list(fleet.objects),
      now: NOW,
      ...(file ? { instanceTypes: file } : {}),
      preferencePolicy: fleet.preferencePolicy,
      minValuesPolicy: fleet.minValuesPolicy,
      spotToSpot: fleet.spotToSpot,
      ...fleet.gates,
      disrupt: { ...ids(fleet), anyOrder, each },
      ...(fleet.later ? { later: list(fleet.later.objects) } : {}),
      laterDisrupt: ids(fleet.later ?? fleet),
    });
    if (!answer.disrupt) throw new Error(`upstream failed: ${answer.error}`);
    return upstreamMethods(answer.disrupt as UpstreamDisruption);
  };
  // First with upstream's known faults, which leaves nothing to be explained away.
  const { methods: ours, blockers } = ourAnswer(fleet, true);
  const runs = [await ask(false, true)];
  const open = (): Question[] => unanswered(questions(ours, runs));
  let left = open();
  const more = fleet.objects.filter(({ kind }) => kind === 'Node').length > MANY ? MORE_RUNS_OF_MANY : MORE_RUNS;
  for (let i = 0; i < more && left.some((question) => isChance(question) || fleet.gates?.capacityBuffer); i++) {
    runs.push(
      await ask(
        i % 2 === 0,
        left.some(({ about }) => about.includes(' node')),
      ),
    );
    left = open();
  }
  left = left.filter(({ about }) => !isMatterOfOrder(about, ours, runs));
  const [equivalents, differences] = split(left, isEquivalent);
  const listed = unanswered(questions(ourAnswer(fleet, false).methods, runs)).filter(
    (question) => !isEquivalent(question) && !left.some(({ about }) => about === question.about),
  );
  const verdicts = [
    ['different', differences],
    ['equivalent', equivalents],
    ['listed', listed],
  ] as const;
  return {
    verdict: verdicts.find(([, found]) => found.length > 0)?.[0] ?? 'equal',
    ours,
    blockers,
    differences: differences.map(asDifference),
    equivalents: equivalents.map(asDifference),
    listed: listed.map(asDifference),
  };
}

function asDifference({ about, own, theirs }: Question): Difference {
  return { about, ours: own.text, theirs: [...new Set(theirs.map(({ text }) => text))] };
}

function split<T>(items: readonly T[], first: (item: T) => boolean): [T[], T[]] {
  return [items.filter(first), items.filter((item) => !first(item))];
}
