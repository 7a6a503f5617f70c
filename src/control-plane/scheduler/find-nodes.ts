import type { ClusterView } from './cluster-cache.ts';
import type { Filter, NodeCheck, PluginName, Rejection } from './filter.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

export interface PreparedCheck {
  readonly filter: Filter;
  readonly check: NodeCheck;
}

export type PreparedFilters =
  | {
      readonly checks: readonly PreparedCheck[];
      /** The only nodes worth a look, and the filters that say so. */
      readonly narrowed?: { readonly names: ReadonlySet<string>; readonly by: readonly PluginName[] };
    }
  | { readonly refusal: { readonly plugin: PluginName; readonly message: string } };

/** Asks every filter about the pod; the first that refuses it ends the matter. */
export function prepareFilters(pod: PodInfo, view: ClusterView, filters: readonly Filter[]): PreparedFilters {
  const checks: PreparedCheck[] = [];
  let names: ReadonlySet<string> | undefined;
  const by: PluginName[] = [];
  for (const filter of filters) {
    const prepared = filter.prepare(pod, view);
    if (prepared === undefined) continue;
    if ('message' in prepared) return { refusal: prepared };
    checks.push({ filter, check: prepared.check });
    if (prepared.nodeNames === undefined) continue;
    names = names?.intersection(prepared.nodeNames) ?? prepared.nodeNames;
    by.push(filter.plugin);
  }
  return { checks, ...(names !== undefined && { narrowed: { names, by: by.sort() } }) };
}

/** The first objection to a node. */
export function rejection(checks: readonly PreparedCheck[], node: NodeInfo): Rejection | undefined {
  for (const { check } of checks) {
    const found = check(node);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Why no node was found. */
export interface Diagnosis {
  readonly rejections: ReadonlyMap<NodeInfo, Rejection>;
  /** Said of every node that is not in `rejections`. */
  readonly others?: string;
  /** The pod itself was refused, before any node was looked at. */
  readonly refusal?: string;
  readonly plugins: ReadonlySet<PluginName>;
}

/**
 * How many good nodes are enough: all up to 100, then a share that falls from 50 % to 5 % as clusters grow
 * (percentageOfNodesToScore's default).
 */
function enoughNodes(total: number): number {
  if (total < 100) return total;
  const percent = Math.max(5, Math.trunc(50 - total / 125));
  return Math.max(100, Math.trunc((total * percent) / 100));
}

export interface Search {
  readonly feasible: readonly NodeInfo[];
  /** Nodes looked at. */
  readonly examined: number;
  readonly diagnosis: Diagnosis;
}

/**
 * Looks for nodes that every check accepts, beginning at `start` and wrapping around, until there are enough.
 *
 * @param alsoFits asked of nodes the checks accept; for what a node has promised to others.
 */
export function findNodes(
  view: ClusterView,
  prepared: PreparedFilters,
  start: number,
  alsoFits: (node: NodeInfo) => Rejection | undefined,
): Search {
  const rejections = new Map<NodeInfo, Rejection>();
  const plugins = new Set<PluginName>();
  if ('refusal' in prepared) {
    plugins.add(prepared.refusal.plugin);
    return { feasible: [], examined: 0, diagnosis: { rejections, plugins, refusal: prepared.refusal.message } };
  }
  const { checks, narrowed } = prepared;
  const nodes = narrowed === undefined ? view.nodes : view.nodes.filter(({ name }) => narrowed.names.has(name));
  for (const plugin of narrowed?.by ?? []) plugins.add(plugin);
  const feasible: NodeInfo[] = [];
  const enough = enoughNodes(nodes.length);
  let examined = 0;
  while (examined < nodes.length && feasible.length < enough) {
    const node = nodes[(start + examined) % nodes.length] as NodeInfo;
    examined++;
    const found = rejection(checks, node) ?? alsoFits(node);
    if (found === undefined) feasible.push(node);
    else {
      rejections.set(node, found);
      plugins.add(found.plugin);
    }
  }
  const others = narrowed === undefined ? undefined : `node(s) didn't satisfy plugin(s) [${narrowed.by.join(' ')}]`;
  return { feasible, examined, diagnosis: { rejections, plugins, ...(others !== undefined && { others }) } };
}
