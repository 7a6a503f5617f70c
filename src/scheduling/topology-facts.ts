/** What a rule about other pods has counted, and which pods those are. */
import { LABEL_HOSTNAME } from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';
import { formatLabelSelector } from '../kube/selectors.ts';
import { TOPOLOGY_CODES } from './reasons.ts';
import type { SchedulingRun } from './scheduling-run.ts';
import { nodeLabels, stateNodeName } from './state-node.ts';
import type { TopologyFailure } from './topology.ts';
import type { TopologyGroup } from './topology-group.ts';
import { inverseRules, type TopologyRule } from './topology-rule.ts';
import type { TopologyFacts } from './types.ts';

/** Pods named in each domain. */
const NAMED = 5;

type PodsByDomain = ReadonlyMap<string, readonly Pod[]>;

/**
 * Looks at the run as it is now.
 *
 * @param unreachable why nothing can be in the domain, if so, rules about pods aside
 */
export function topologyFacts(
  run: SchedulingRun,
  failure: TopologyFailure,
  unreachable: (domain: string) => string | undefined,
): TopologyFacts {
  const { group, ofOthers, podDomains, selectsPod } = failure;
  const { rule } = group;
  const pods = witnesses(run, group, ofOthers);
  return {
    rule: TOPOLOGY_CODES[rule.type],
    key: rule.key,
    selector: rule.selector ? formatLabelSelector(rule.selector) : '',
    ofOthers,
    ...(rule.type === 'topology spread' ? { maxSkew: rule.maxSkew } : {}),
    ...(rule.minDomains === undefined ? {} : { minDomains: rule.minDomains }),
    domains: group.domains.map(([domain, count]) => {
      const allowed = (podDomains?.has(domain) ?? true) && group.allows(domain, podDomains, selectsPod);
      const why = allowed && !group.isHostname ? unreachable(domain) : undefined;
      return {
        domain,
        count,
        pods: (pods.get(domain) ?? []).slice(0, NAMED).map(nameOf).sort(),
        allowed,
        ...(why ? { unreachable: why } : {}),
      };
    }),
  };
}

const nameOf = ({ metadata }: Pod): string => `${metadata.namespace ?? 'default'}/${metadata.name}`;

const KNOWN = new WeakMap<TopologyGroup, { readonly placements: number; readonly pods: PodsByDomain }>();

/** The pods that a group counts, found once for all pods that it refuses, as long as no other is placed. */
function witnesses(run: SchedulingRun, group: TopologyGroup, ofOthers: boolean): PodsByDomain {
  const { placements } = run;
  const known = KNOWN.get(group);
  if (known?.placements === placements) return known.pods;
  const here = ofOthers ? owners(run, group.rule) : matching(run, group.rule);
  const byDomain = Map.groupBy([...here, ...planned(run, group.rule, ofOthers)], ([domain]) => domain);
  const pods = new Map([...byDomain].map(([domain, placed]) => [domain, placed.map(([, pod]) => pod)]));
  KNOWN.set(group, { placements, pods });
  return pods;
}

type Placed = readonly [domain: string, pod: Pod];

/** Bound pods that the rule's selector matches. */
function matching(run: SchedulingRun, rule: TopologyRule): readonly Placed[] {
  const { world, placed } = run.state;
  return world.pods.flatMap((pod): Placed[] => {
    const node = placed.nodeOf(pod);
    if (!node || !matches(rule, pod)) return [];
    const domain = placed.domainOf(rule, node);
    return domain === undefined ? [] : [[domain, pod]];
  });
}

/** Bound pods that have the rule themselves. */
function owners(run: SchedulingRun, rule: TopologyRule): readonly Placed[] {
  return run.state.baseline
    .ownersOf(rule)
    .flatMap(({ pod, domain }): Placed[] => (domain === undefined ? [] : [[domain, pod]]));
}

/** Pods that this run has found a place for. */
function planned(run: SchedulingRun, rule: TopologyRule, ofOthers: boolean): readonly Placed[] {
  const context = { namespaces: run.state.world.namespaces, respectPreferences: false };
  const counts = (pod: Pod): boolean => {
    if (!ofOthers) return matches(rule, pod);
    const source = { namespace: pod.metadata.namespace ?? '', labels: pod.metadata.labels ?? {}, spec: pod.spec };
    return inverseRules(source, context).some(({ signature }) => signature === rule.signature);
  };
  const onClaims = run.claims.claims.flatMap((claim): Placed[] => {
    const domains =
      rule.key === LABEL_HOSTNAME ? [claim.hostname] : [...(claim.set.requirements.find(rule.key)?.values ?? [])];
    const [domain] = domains;
    if (domain === undefined || domains.length > 1) return [];
    return claim.pods.filter(counts).map((pod) => [domain, pod]);
  });
  const onNodes = run.nodes.results.flatMap(({ node, pods }): Placed[] => {
    const own = rule.key === LABEL_HOSTNAME ? stateNodeName(node) : undefined;
    const domain = nodeLabels(node)[rule.key] ?? own;
    return domain === undefined ? [] : pods.filter(counts).map((pod) => [domain, pod]);
  });
  return [...onClaims, ...onNodes];
}

function matches(rule: TopologyRule, { metadata }: Pod): boolean {
  return rule.namespaces.has(metadata.namespace ?? '') && rule.matches(metadata.labels);
}
