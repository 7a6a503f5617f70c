import { matchesNode } from '../../kube/node-affinity.ts';
import type { Node, NodeSelectorTerm, Taint } from '../../kube/objects.ts';
import { tolerates, untoleratedTaint } from '../../kube/taints.ts';
import type { Filter, Rejection } from './filter.ts';
import { portsConflict } from './host-ports.ts';

const HARD = ['NoSchedule', 'NoExecute'];
const CORDONED: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

const hopeless = (plugin: Rejection['plugin'], reason: string): Rejection => ({
  plugin,
  reasons: [reason],
  resolvable: false,
});

const UNSCHEDULABLE = hopeless('NodeUnschedulable', 'node(s) were unschedulable');
const WRONG_NAME = hopeless('NodeName', "node(s) didn't match the requested node name");
const TAINTED = hopeless('TaintToleration', 'node(s) had untolerated taint(s)');
const NO_MATCH = hopeless('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
const PORTS_TAKEN: Rejection = {
  plugin: 'NodePorts',
  reasons: ["node(s) didn't have free ports for the requested pod ports"],
  resolvable: true,
};

export const nodeUnschedulable: Filter = {
  plugin: 'NodeUnschedulable',
  clusterWide: false,
  prepare({ pod }) {
    if (pod.spec.tolerations?.some((toleration) => tolerates(toleration, CORDONED))) return undefined;
    return { check: ({ node }) => (node.spec?.unschedulable ? UNSCHEDULABLE : undefined) };
  },
};

export const nodeName: Filter = {
  plugin: 'NodeName',
  clusterWide: false,
  prepare({ pod }) {
    const wanted = pod.spec.nodeName;
    return wanted ? { check: ({ name }) => (name === wanted ? undefined : WRONG_NAME) } : undefined;
  },
};

export const taintToleration: Filter = {
  plugin: 'TaintToleration',
  clusterWide: false,
  prepare({ pod }) {
    const { tolerations } = pod.spec;
    return { check: ({ taints }) => (untoleratedTaint(taints, tolerations, HARD) ? TAINTED : undefined) };
  },
};

/** Names a term pins by `metadata.name in (…)`; undefined when it does not. */
function pinnedNames({ matchFields = [] }: NodeSelectorTerm): ReadonlySet<string> | undefined {
  const pins = matchFields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In');
  const [first, ...others] = pins.map(({ values = [] }) => new Set(values));
  return first === undefined ? undefined : others.reduce((names, more) => names.intersection(more), first);
}

/** The only nodes that the required affinity can match; undefined when it names none. DaemonSet pods name one. */
function onlyNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  let names: ReadonlySet<string> = new Set();
  for (const term of terms) {
    const pinned = pinnedNames(term);
    if (pinned === undefined) return undefined;
    names = names.union(pinned);
  }
  return names;
}

export const nodeAffinity: Filter = {
  plugin: 'NodeAffinity',
  clusterWide: false,
  prepare({ pod }) {
    const { nodeSelector, affinity } = pod.spec;
    const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    if (terms === undefined && Object.keys(nodeSelector ?? {}).length === 0) return undefined;
    const nodeNames = terms === undefined ? undefined : onlyNodes(terms);
    if (nodeNames?.size === 0 && terms?.length !== 0) {
      return { plugin: 'NodeAffinity', message: 'pod affinity terms conflict' };
    }
    const check = ({ node }: { readonly node: Node }) => (matchesNode(pod.spec, node) ? undefined : NO_MATCH);
    return { check, ...(nodeNames !== undefined && { nodeNames }) };
  },
};

export const nodePorts: Filter = {
  plugin: 'NodePorts',
  clusterWide: false,
  prepare({ hostPorts }) {
    if (hostPorts.length === 0) return undefined;
    return {
      check: (node) =>
        node.usedPorts().some((used) => hostPorts.some((wanted) => portsConflict(used, wanted)))
          ? PORTS_TAKEN
          : undefined,
    };
  },
};

export const nodeResourcesFit: Filter = {
  plugin: 'NodeResourcesFit',
  clusterWide: false,
  prepare({ requests }) {
    return {
      check(node) {
        const reasons: string[] = [];
        let resolvable = true;
        if (node.pods.size + 1 > node.allowedPods) reasons.push('Too many pods');
        for (const [name, milli] of requests) {
          const allocatable = node.allocatable[name] ?? 0;
          if (milli <= allocatable - (node.requested[name] ?? 0)) continue;
          reasons.push(`Insufficient ${name}`);
          if (milli > allocatable) resolvable = false;
        }
        return reasons.length === 0 ? undefined : { plugin: 'NodeResourcesFit', reasons, resolvable };
      },
    };
  },
};
