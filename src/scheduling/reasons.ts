/** Refusals in upstream's words, with the facts beside the text. */
import type { Taint } from '../kube/objects.ts';
import { Requirement } from './requirement.ts';
import type { Requirements } from './requirements.ts';
import { printTaint } from './taints.ts';
import type { TopologyFailure } from './topology.ts';
import type { TopologyType } from './topology-rule.ts';
import type { Reason, TopologyFacts } from './types.ts';

export const TOPOLOGY_CODES: Readonly<Record<TopologyType, TopologyFacts['rule']>> = {
  'topology spread': 'TopologySpread',
  'pod affinity': 'PodAffinity',
  'pod anti-affinity': 'PodAntiAffinity',
};

export function taintReason(taint: Taint): Reason {
  const text = printTaint(taint);
  return { code: 'TaintNotTolerated', message: `did not tolerate taint (taint=${text})`, subject: text, other: text };
}

/** The first key on which a node and what is asked of it don't go together. */
export function incompatible(
  prefix: string,
  node: Requirements,
  wanted: Requirements,
  wellKnown?: ReadonlySet<string>,
): Reason {
  const message = `${prefix}${node.incompatibility(wanted, wellKnown) ?? 'no common hostname'}`;
  const unknown = node.undefinedKey(wanted, wellKnown);
  if (unknown !== undefined) {
    return { code: 'UnknownLabelValue', message, subject: unknown, pod: String(wanted.get(unknown)) };
  }
  const conflict = node.conflict(wanted);
  return {
    code: 'RequirementsIncompatible',
    message,
    ...(conflict
      ? { subject: conflict.incoming.key, pod: String(conflict.incoming), other: String(conflict.existing) }
      : {}),
  };
}

/** @param hostnames all that are known, for a rule about hostnames counts each */
export function topologyReason(failure: TopologyFailure, hostnames: () => Iterable<string>): Reason {
  const { group, podDomains, nodeDomains } = failure;
  const { key, type } = group.rule;
  const anything = Requirement.of(key, 'Exists');
  const message = `unsatisfiable topology constraint for ${type}, key=${key} (counts = ${group.printCounts(group.isHostname ? hostnames() : [])}, podDomains = ${podDomains ?? anything}, nodeDomains = ${nodeDomains ?? anything}`;
  return {
    code: TOPOLOGY_CODES[type],
    message,
    subject: key,
    pod: String(podDomains ?? anything),
    other: String(nodeDomains ?? anything),
  };
}
