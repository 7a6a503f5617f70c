/** The smallest edits that let a pod fit, each tried by solving again with it. */
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { Pod } from '../kube/objects.ts';
import { isVirtualPod } from '../scheduling/buffers/virtual-pods.ts';
import { nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { PodError, PoolAndTypes, Reason, Results, TargetFailure, World } from '../scheduling/types.ts';
import { requirementDrift, templateDrift } from './drifted-fields.ts';
import { type Edit, type EditReport, editReport } from './edit.ts';
import type { EditContext } from './edit-context.ts';
import { podName } from './plan-report.ts';
import type { Solve } from './solve.ts';
import { suggestEdits } from './suggest-edits.ts';

/** Pools looked at, nearest first; edits made together; trials in all: enough to find a fix, few enough to stay quick. */
const POOLS = 3;
const MOST_EDITS = 4;
const FIXES = 4;
const TRIALS = 40;
/** With more pods than this a trial asks about the one pod alone. */
const FEW_PENDING = 200;
/** On a large cluster each trial takes longer. */
const LARGE_CLUSTER = 500;
const TRIALS_ON_LARGE = 12;

/** Edits that make the pod fit when they are made together. */
export interface Fix {
  /** The pool that takes the pod then; the one that was asked about when it fits on a node that is there. */
  readonly nodePool: string;
  /** The node that takes it then, if it is there already. */
  readonly node?: string;
  readonly edits: readonly EditReport[];
  /** Pods, `ns/name`, that would have had a place and have none with these edits. */
  readonly displaces?: readonly string[];
  /** Nodes of the pool that would drift and be replaced. */
  readonly drifts?: number;
}

export interface FixInput {
  readonly pod: Pod;
  readonly world: World;
  /** Everything that a pass would place, the pod included. */
  readonly pending: readonly Pod[];
  /** Those of them that have no place as things are. */
  readonly unplaced: { has(pod: Pod): boolean };
  /** Nearest miss first. */
  readonly targets: readonly TargetFailure[];
  readonly solve: Solve;
  readonly closest: EditContext['closest'];
}

interface Found {
  readonly attempt: Attempt;
  readonly taker: Pick<Fix, 'nodePool' | 'node'>;
}

/** Pod and pool with some edits made, and the rules that are still to be answered, as far as is known. */
interface Attempt {
  readonly pod: Pod;
  readonly nodePool: NodePool;
  readonly edits: readonly Edit[];
  readonly reasons: readonly Reason[];
}

interface Candidate {
  readonly edit: Edit;
  /** It answers the first of the rules. */
  readonly first: boolean;
}

/** Fixes with the fewest edits and the least effect on others first; empty when nothing that was tried helps. */
export function findFixes(input: FixInput): readonly Fix[] {
  const { world, targets } = input;
  const budget = { trials: world.nodes.length > LARGE_CLUSTER ? TRIALS_ON_LARGE : TRIALS };
  const fixes = new Map<string, Fix & { readonly attempt: Attempt; readonly pool: PoolAndTypes }>();
  for (const target of targets.filter(({ kind }) => kind === 'NodePool').slice(0, POOLS)) {
    const pool = world.pools.find(({ nodePool }) => nodePool.metadata.name === target.name);
    if (!pool) continue;
    for (const { attempt, taker } of fixesFor(pool, target.reasons, input, budget)) {
      const edits = attempt.edits.map(editReport);
      const key = JSON.stringify(edits);
      if (!fixes.has(key)) fixes.set(key, { ...taker, edits, ...drifts(attempt, pool, input), attempt, pool });
    }
  }
  const chosen = choice([...fixes.values()].sort((a, b) => cost(a) - cost(b)));
  return chosen
    .map(({ attempt, pool, ...fix }): Fix => ({ ...fix, ...displaces(attempt, pool, input) }))
    .sort((a, b) => cost(a) - cost(b));
}

/** What an edit does to others weighs as much as further edits. */
function cost({ edits, displaces = [], drifts = 0 }: Fix): number {
  return edits.length + (drifts > 0 ? 1 : 0) + (displaces.length > 0 ? 2 : 0);
}

/** Some for whoever owns the pod, some for whoever owns the pools. */
function choice<T extends Fix>(fixes: readonly T[]): readonly T[] {
  const { pod = [], pool = [] } = Object.groupBy(fixes, ({ edits }) =>
    edits.every(({ object }) => object.startsWith('pod/')) ? 'pod' : 'pool',
  );
  const half = FIXES / 2;
  const chosen = new Set([...new Set([...pod.slice(0, half), ...pool.slice(0, half), ...fixes])].slice(0, FIXES));
  return fixes.filter((fix) => chosen.has(fix));
}

/**
 * Breadth first: all fixes of one edit, or else of two, and so on. Every rule in the way has to be answered, so only edits
 * for the first one are made, and only when none is left to be answered does the packer have to be asked.
 */
function fixesFor(
  pool: PoolAndTypes,
  reasons: readonly Reason[],
  input: FixInput,
  budget: { trials: number },
): readonly Found[] {
  let frontier: readonly Attempt[] = [{ pod: input.pod, nodePool: pool.nodePool, edits: [], reasons }];
  const found: Found[] = [];
  for (let depth = 0; depth < MOST_EDITS && frontier.length > 0; depth++) {
    const next: Attempt[] = [];
    for (const attempt of frontier) {
      for (const { edit, first } of editsOf(attempt, pool, input)) {
        if (edit.family !== undefined && found.some((fix) => fix.attempt.edits.at(-1)?.family === edit.family))
          continue;
        const edited = apply(attempt, edit);
        const left = first ? edited.reasons.length : attempt.reasons.length;
        if (left > 0 && first) next.push(edited);
        // Another pod can answer several rules at once, or suit another pool or node.
        if (left > 0 && edit.object !== 'pod') continue;
        if (found.length > 0 && !edited.edits.every(ofPool) && depth > 0) continue;
        if (budget.trials-- <= 0) return found;
        const results = trial(edited, pool, input);
        const error = results.podErrors.get(edited.pod);
        if (!error) found.push({ attempt: edited, taker: takerOf(edited.pod, results, pool) });
        else if (left === 0) next.push({ ...edited, reasons: reasonsOf(error, pool) });
      }
    }
    if (found.some(({ attempt }) => attempt.edits.every(ofPool))) break;
    // Whoever owns the pool gets an answer too, even if it takes more edits.
    frontier = found.length > 0 ? next.filter(({ edits }) => edits.every(ofPool)) : next;
  }
  return found;
}

const ofPool = ({ object }: Edit): boolean => object === 'nodepool';

/** Edits for the first rule, and those of the pod for the others. */
function editsOf(
  { pod, nodePool, edits, reasons }: Attempt,
  pool: PoolAndTypes,
  input: FixInput,
): readonly Candidate[] {
  const context: EditContext = { pod, pool: nodePool, instanceTypes: pool.instanceTypes, closest: input.closest };
  const made = new Set(edits.map(({ object, path }) => `${object} ${path}`));
  const candidates = new Map<string, Candidate>();
  for (const [index, reason] of reasons.entries()) {
    for (const edit of suggestEdits(reason, context)) {
      const key = `${edit.object} ${edit.path}`;
      // Tolerations are added one by one under one path.
      const repeated = made.has(key) && edit.from !== '';
      if (repeated || candidates.has(`${key} ${edit.to}`) || (index > 0 && edit.object !== 'pod')) continue;
      candidates.set(`${key} ${edit.to}`, { edit, first: index === 0 });
    }
  }
  return [...candidates.values()];
}

function apply({ pod, nodePool, edits, reasons }: Attempt, edit: Edit): Attempt {
  return {
    pod: edit.pod?.(pod) ?? pod,
    nodePool: edit.nodePool?.(nodePool) ?? nodePool,
    edits: [...edits, edit],
    reasons: reasons.slice(1),
  };
}

/** Where the pod goes with the edits made, or what still keeps it out: among the others that wait, while they are few. */
function trial(attempt: Attempt, pool: PoolAndTypes, input: FixInput): Results {
  const { world, pods } = edited(attempt, pool, input);
  return input.solve(world, pods.length <= FEW_PENDING ? pods : [attempt.pod], attempt.pod);
}

/** The world and the pods that wait, after the edits. */
function edited({ pod, nodePool }: Attempt, pool: PoolAndTypes, { world, pending, pod: original }: FixInput) {
  const changed = (own: Pod): Pod => (own === original ? pod : own);
  const pools = world.pools.map((other) => (other === pool ? { ...pool, nodePool } : other));
  return { world: { ...world, pools, pods: world.pods.map(changed) }, pods: pending.map(changed) };
}

/** Pods that lose the place they would have had. */
function displaces(attempt: Attempt, pool: PoolAndTypes, input: FixInput): Pick<Fix, 'displaces'> {
  const { world, pods } = edited(attempt, pool, input);
  const { podErrors } = input.solve(world, pods, attempt.pod);
  const lost = [...podErrors.keys()]
    .filter((pod) => pod !== attempt.pod && !isVirtualPod(pod) && !input.unplaced.has(pod))
    .map(podName);
  return lost.length > 0 ? { displaces: lost } : {};
}

/** Nodes that drift by the edits of the pool. */
function drifts(attempt: Attempt, pool: PoolAndTypes, { world }: FixInput): Pick<Fix, 'drifts'> {
  const count = attempt.nodePool === pool.nodePool ? 0 : drifting(attempt.nodePool, pool.nodePool, world);
  return count > 0 ? { drifts: count } : {};
}

/** Nodes that match the pool as it is and would not as it will be. */
function drifting(after: NodePool, before: NodePool, { nodes }: World): number {
  const drifted = (pool: NodePool, claim: NodeClaim): boolean =>
    templateDrift(pool, claim).length > 0 || requirementDrift(pool, claim).length > 0;
  const own = nodes.filter((node) => nodePoolName(node) === before.metadata.name);
  return own.filter(({ nodeClaim: claim }) => claim && drifted(after, claim) && !drifted(before, claim)).length;
}

function takerOf(pod: Pod, results: Results, asked: PoolAndTypes): Found['taker'] {
  const claim = results.newNodeClaims.find(({ pods }) => pods.includes(pod));
  if (claim) return { nodePool: claim.nodePool.metadata.name };
  const placement = results.existingNodes.find(({ pods }) => pods.includes(pod));
  const nodePool = asked.nodePool.metadata.name;
  return placement ? { nodePool, node: stateNodeName(placement.node) } : { nodePool };
}

function reasonsOf(error: PodError, { nodePool }: PoolAndTypes): readonly Reason[] {
  const { name } = nodePool.metadata;
  return error.targets?.find((target) => target.kind === 'NodePool' && target.name === name)?.reasons ?? [];
}
