/** The disruption engine over one frozen world (karpenter-core.md section 7). */
import { WELL_KNOWN_LABELS } from '../apis/labels.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { World } from '../scheduling/types.ts';
import { BalancedScorer } from './balanced.ts';
import { withoutOtherMethods } from './blockers.ts';
import { type PoolBudget, poolBudgets } from './budgets.ts';
import { bySavingsRatio, type Candidate } from './candidate.ts';
import { type DisruptionClass, toCandidate } from './candidates.ts';
import { inLaunchOrder } from './command.ts';
import { drift } from './drift.ts';
import { emptiness } from './emptiness.ts';
import { finished, type Method, type MethodContext, type MethodRun } from './method.ts';
import { mergeNodes, multiNodeConsolidation, orderOfMerging } from './multi-node-consolidation.ts';
import { packingSimulation } from './packing-simulation.ts';
import { LaunchPrices } from './prices.ts';
import { readOutcome, type Simulate, type SimulationOutcome } from './simulation.ts';
import { singleNodeConsolidation } from './single-node-consolidation.ts';
import { staticDrift } from './static-drift.ts';
import { type Steps, stepsOf, toTheEnd } from './steps.ts';
import type { Blocker, Command, DisruptOptions, MethodName, MethodResult, Move, Survey } from './types.ts';
import { type ValidationFailure, validateCommand } from './validation.ts';
import { WorldIndex } from './world-index.ts';

/** In the order in which the controller tries them. */
const METHODS: readonly Method[] = [emptiness, staticDrift, drift, multiNodeConsolidation, singleNodeConsolidation];

export const METHOD_NAMES: readonly MethodName[] = METHODS.map((method) => method.name);

/** How one method of drift says that a node is for the other. */
const NOT_OF_THIS_METHOD: ReadonlySet<Blocker['code']> = new Set(['NotDrifted', 'StaticNodePool']);

interface Sorted {
  readonly candidates: readonly Candidate[];
  readonly byName: ReadonlyMap<string, Candidate>;
  readonly blockers: ReadonlyMap<string, Blocker>;
  readonly scorer: BalancedScorer;
}

/** What one node comes to, asked for by name. */
export type NodeVerdict =
  | { readonly command: Command }
  | { readonly command?: undefined; readonly blockers: readonly Blocker[] };

/** What several nodes come to if they are removed at once. */
export interface MergeVerdict {
  readonly command?: Command;
  /** By node; of all together without one. Budgets count as blockers beside a command. */
  readonly blockers: readonly (readonly [node: string | undefined, blocker: Blocker])[];
  /** Node to its place, from 1, in the list of which only the first few are ever tried together. */
  readonly positions: ReadonlyMap<string, number>;
  readonly listed: number;
  /** At most so many of them. */
  readonly most: number;
}

/** Decides what to disrupt in a world that doesn't change; everything it prepares is shared by all methods. */
export class Disruption {
  readonly #index: WorldIndex;
  readonly #options: DisruptOptions;
  readonly #prices: LaunchPrices;
  readonly #simulate: Simulate;
  readonly #sorted = new Map<DisruptionClass, Sorted>();
  readonly #budgets = new Map<Method['reason'], ReadonlyMap<string, PoolBudget>>();

  /** `simulate` is handed in by tests only. */
  constructor(world: World, options: DisruptOptions, simulate?: Simulate) {
    this.#index = new WorldIndex(world);
    this.#options = options;
    this.#prices = new LaunchPrices(new Set([...WELL_KNOWN_LABELS, ...options.schedule.wellKnownLabels]));
    this.#simulate = simulate ?? packingSimulation(this.#index, options);
  }

  /** What the method would do now: at most one command but for StaticDrift. */
  run(name: MethodName): MethodResult {
    return toTheEnd(this.steps(name));
  }

  /** What the method would look at, and what it leaves alone; it decides nothing. */
  survey(name: MethodName): Survey {
    const blocked = new Map<string, Blocker[]>();
    const method = methodNamed(name);
    const { candidates } = this.#prepare(method, blocked);
    const ranking = [...candidates].sort(bySavingsRatio).map((candidate) => candidate.name);
    return { ...this.#result(method, candidates, finished([]), [], blocked), ranking };
  }

  /** The same in steps: with thousands of pods that wait, a method can take many seconds. */
  *steps(name: MethodName): Steps<MethodResult> {
    const method = methodNamed(name);
    const blocked = new Map<string, Blocker[]>();
    const moves: Move[] = [];
    const { candidates, context } = this.#prepare(method, blocked, moves);
    const run = yield* stepsOf(method.compute(candidates, this.#remaining(method), context));
    const commands = run.commands.map((command) => inLaunchOrder(command, context.wellKnown));
    return this.#result(method, candidates, { ...run, commands }, moves, blocked);
  }

  #result(
    method: Method,
    candidates: readonly Candidate[],
    run: MethodRun,
    moves: readonly Move[],
    blocked: ReadonlyMap<string, readonly Blocker[]>,
  ): MethodResult {
    const budgets = this.budgets(method.reason);
    return {
      method: method.name,
      consolidationType: method.consolidationType,
      candidates: candidates.map((c) => c.name).sort(),
      budgets: Object.fromEntries([...budgets].map(([pool, budget]) => [pool, budget.remaining])),
      ...run,
      moves,
      blocked,
    };
  }

  budgets(reason: Method['reason']): ReadonlyMap<string, PoolBudget> {
    let budgets = this.#budgets.get(reason);
    if (!budgets) {
      budgets = poolBudgets(this.#index.world, reason);
      this.#budgets.set(reason, budgets);
    }
    return budgets;
  }

  /**
   * What would become of one node if consolidation looked at it now, whatever its turn: emptiness first, then single-node
   * consolidation; or everything that keeps it.
   */
  verdict(nodeName: string): NodeVerdict {
    const blockers: Blocker[] = [];
    for (const method of [emptiness, singleNodeConsolidation]) {
      const judged = this.judge(nodeName, method.name);
      if (judged.command) return judged;
      for (const blocker of judged.blockers) {
        if (!blockers.some((b) => b.code === blocker.code)) blockers.push(blocker);
      }
    }
    return { blockers: withoutOtherMethods(blockers) };
  }

  /** Where the nodes' pods would go without them, whatever keeps them. */
  removal(nodeNames: readonly string[]): SimulationOutcome {
    const nodes = this.#index.world.nodes.filter((candidate) => nodeNames.includes(stateNodeName(candidate)));
    return this.#context(singleNodeConsolidation, new Map()).simulate(nodes, true);
  }

  /** What removing exactly these nodes at once would come to, and whether multi-node consolidation ever tries that. */
  merge(nodeNames: readonly string[]): MergeVerdict {
    const blocked = new Map<string, Blocker[]>();
    const { candidates, context } = this.#prepare(multiNodeConsolidation, blocked);
    const batch = candidates.filter(({ name }) => nodeNames.includes(name));
    const order = orderOfMerging(candidates, this.#remaining(multiNodeConsolidation), context);
    const positions = nodeNames.flatMap((name) => {
      const at = order.candidates.findIndex((candidate) => candidate.name === name);
      return at < 0 ? [] : [[name, at + 1] as const];
    });
    const turn = { positions: new Map(positions), listed: order.candidates.length, most: order.most };
    const own = nodeNames.flatMap((name) => (blocked.get(name) ?? []).map((blocker) => [name, blocker] as const));
    if (batch.length < nodeNames.length) return { ...turn, blockers: own };
    const { command, blocker } = mergeNodes(batch, context);
    if (command) return { ...turn, command: inLaunchOrder(command, context.wellKnown), blockers: own };
    return { ...turn, blockers: blocker ? [...own, [undefined, blocker]] : own };
  }

  /** What would become of one drifted node if drift looked at it now, whatever its turn. */
  driftVerdict(nodeName: string): NodeVerdict {
    const blockers: Blocker[] = [];
    for (const method of [staticDrift, drift]) {
      const judged = this.judge(nodeName, method.name);
      if (judged.command) return judged;
      blockers.push(...judged.blockers.filter(({ code }) => !NOT_OF_THIS_METHOD.has(code)));
    }
    return { blockers };
  }

  /** What the method would do with one node if it had nothing else to look at. */
  judge(nodeName: string, name: MethodName): NodeVerdict {
    const method = methodNamed(name);
    const { byName, blockers } = this.#sort(method.disruptionClass);
    const candidate = byName.get(nodeName);
    const blocked = new Map<string, Blocker[]>();
    const context = this.#context(method, blocked);
    const obstacle = candidate ? method.blocker(candidate, context) : blockers.get(nodeName);
    if (!candidate || obstacle) return { blockers: obstacle ? [obstacle] : [] };
    const { commands } = toTheEnd(stepsOf(method.compute([candidate], this.#remaining(method), context)));
    const [command] = commands;
    return command ? { command: inLaunchOrder(command, context.wellKnown) } : { blockers: blocked.get(nodeName) ?? [] };
  }

  /** Whether a command computed on an earlier world still holds in this one (karpenter-core.md 7.6.3, 7.11.7). */
  validate(command: Command): { readonly command: Command } | ValidationFailure {
    const method = methodNamed(command.method);
    const { candidates, context } = this.#prepare(method, new Map());
    return validateCommand(command, candidates, this.#remaining(method), context);
  }

  /** Disruptions left by pool, for a method to take from. */
  #remaining(method: Method): Map<string, number> {
    return new Map([...this.budgets(method.reason)].map(([pool, budget]) => [pool, budget.remaining]));
  }

  #prepare(
    method: Method,
    blocked: Map<string, Blocker[]>,
    moves: Move[] = [],
  ): { candidates: readonly Candidate[]; context: MethodContext } {
    const { candidates, blockers } = this.#sort(method.disruptionClass);
    const context = this.#context(method, blocked, moves);
    for (const [node, blocker] of blockers) context.block(node, blocker);
    const chosen = candidates.filter((candidate) => {
      const blocker = method.blocker(candidate, context);
      if (blocker) context.block(candidate.name, blocker);
      return !blocker;
    });
    return { candidates: chosen, context };
  }

  /** Notes in `blocked` what the method refuses, and in `moves` what it weighs. */
  #context(method: Method, blocked: Map<string, Blocker[]>, moves: Move[] = []): MethodContext {
    return {
      reason: method.reason,
      index: this.#index,
      options: this.#options,
      scorer: this.#sort(method.disruptionClass).scorer,
      wellKnown: this.#prices.wellKnown,
      prices: this.#prices,
      simulate: (without, enforce, onlyPool) =>
        readOutcome(this.#simulate(without, enforce, onlyPool), (pod) => this.#index.isOnDeletingNode(pod)),
      weighed: (more) => moves.push(...more),
      block: (node, blocker) => {
        const known = blocked.get(node);
        if (known) known.push(blocker);
        else blocked.set(node, [blocker]);
      },
    };
  }

  #sort(disruptionClass: DisruptionClass): Sorted {
    const known = this.#sorted.get(disruptionClass);
    if (known) return known;
    const candidates: Candidate[] = [];
    const blockers = new Map<string, Blocker>();
    for (const node of this.#index.world.nodes) {
      const result = toCandidate(node, disruptionClass, this.#index, this.#options.queued);
      if (result.candidate) candidates.push(result.candidate);
      else blockers.set(stateNodeName(node), result.blocker);
    }
    const sorted = {
      candidates,
      byName: new Map(candidates.map((candidate) => [candidate.name, candidate])),
      blockers,
      scorer: new BalancedScorer(this.#index, candidates),
    };
    this.#sorted.set(disruptionClass, sorted);
    return sorted;
  }
}

function methodNamed(name: MethodName): Method {
  const method = METHODS.find((m) => m.name === name);
  if (!method) throw new Error(`no disruption method is called ${name}`);
  return method;
}
