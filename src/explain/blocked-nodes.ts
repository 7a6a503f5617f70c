import type { Blocker, BlockerCode, Disruption } from '../disruption/index.ts';
import { nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { StateNode } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { BlockerWords } from './blocker-words.ts';
import { type CommandContext, commandContext, commandReport, NO_SAVINGS, type Savings } from './command-report.ts';
import { disruptionOf } from './disruption.ts';
import { freedWorld } from './freed-world.ts';
import { nodePrice } from './node-price.ts';

/** Blockers that only a look at where the pods would go can explain; freeing the node of anything else changes nothing. */
const OF_ROOM_OR_PRICE: ReadonlySet<BlockerCode> = new Set([
  'NeedsSeveralNodes',
  'NotCheaper',
  'PodsUnschedulable',
  'SpotToSpotDisabled',
  'SpotToSpotTooFewTypes',
  'MinValues',
]);

/** Nodes that can't be helped: nobody's, half way in or out, or of a fixed number. */
const NOT_OURS: ReadonlySet<BlockerCode> = new Set([
  'NoNodeClaim',
  'NoNode',
  'NotInitialized',
  'Deleting',
  'InQueue',
  'StaticNodePool',
]);

const HOPELESS: ReadonlySet<string> = new Set([...OF_ROOM_OR_PRICE, ...NOT_OURS]);

/** What the node costs, and what it would save if nothing but room and price had a say. */
export interface CouldSave extends Savings {
  /** Per hour; null when its type or offering is not in the list of instance types. */
  readonly price: number | null;
  /** What would keep the node then, as codes. */
  readonly keptBy: readonly string[];
}

/** Explains blockers, and says what they cost. Prepared once for all nodes of a cluster. */
export class BlockedNodes {
  readonly #analysis: Analysis;
  readonly #words: BlockerWords;
  readonly #nodes: ReadonlyMap<string, StateNode>;
  #freed: { readonly disruption: Disruption; readonly context: CommandContext } | undefined;

  constructor(analysis: Analysis) {
    this.#analysis = analysis;
    this.#nodes = new Map(analysis.world.nodes.map((node) => [stateNodeName(node), node]));
    this.#words = new BlockerWords(analysis);
  }

  /** The blocker of these nodes, one or several together, in plain words; undefined when its own message says all. */
  why(nodeNames: readonly string[], blocker: Blocker): string | undefined {
    const nodes = nodeNames.flatMap((name) => this.#nodes.get(name) ?? []);
    const removal = OF_ROOM_OR_PRICE.has(blocker.code) ? this.#free().disruption.removal(nodeNames) : undefined;
    const prices = nodes.map((node) => this.#price(node));
    const price = prices.every((own) => own !== undefined) ? prices.reduce((sum, own) => sum + own, 0) : undefined;
    return this.#words.of(nodes, blocker, removal, price);
  }

  couldSave(nodeName: string, blockers: readonly { readonly code: BlockerCode | 'SavesTooLittle' }[]): CouldSave {
    const node = this.#nodes.get(nodeName);
    const price = (node && this.#price(node)) ?? null;
    const hopeless = blockers.some(({ code }) => HOPELESS.has(code));
    if (hopeless) return { ...NO_SAVINGS, price, keptBy: [] };
    const { disruption, context } = this.#free();
    const verdict = disruption.verdict(nodeName);
    if (verdict.command) return { ...commandReport(verdict.command, context).savings, price, keptBy: [] };
    return { ...NO_SAVINGS, price, keptBy: verdict.blockers.map(({ code }) => code) };
  }

  #price(node: StateNode): number | undefined {
    const { pools } = this.#analysis.world;
    const pool = pools.find(({ nodePool }) => nodePool.metadata.name === nodePoolName(node));
    return nodePrice(node.node?.metadata.labels, pool?.instanceTypes ?? []);
  }

  #free() {
    if (!this.#freed) {
      const analysis = this.#analysis.of(freedWorld(this.#analysis.world));
      const context = commandContext(analysis.world, analysis.wellKnown);
      this.#freed = { disruption: disruptionOf(analysis), context };
    }
    return this.#freed;
  }
}
