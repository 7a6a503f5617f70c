/** One failed rule, for people: both sides, and what was counted. */

import { LABEL_ARCH, LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_OS, LABEL_ZONE } from '../../apis/labels.ts';
import { parseQuantityMilli } from '../../kube/quantity.ts';
import type { Reason, TargetFailure, TopologyFacts } from '../../scheduling/types.ts';
import { formatAmount } from '../amounts.ts';
import { listed } from './listed.ts';
import { shortMessage } from './short-message.ts';
import type { View } from './view.ts';

/** The rule alone. */
export function reasonSentence(reason: Reason, kind: TargetFailure['kind']): string {
  return sentences(reason, kind, '')[0] ?? reason.message;
}

type Kind = TargetFailure['kind'];

/** The rule's line and, indented under it, its facts. */
export function reasonLines(reason: Reason, kind: Kind, { style }: View): string[] {
  const [first, ...facts] = sentences(reason, kind, style.arrow);
  return [`    ${style.cross} ${style.warn(reason.code)}  ${first}`, ...facts.map((line) => `        ${line}`)];
}

const IT: Readonly<Record<Kind, string>> = { NodePool: 'the pool', Node: 'the node', NodeClaim: 'the claim' };

function sentences(reason: Reason, kind: Kind, arrow: string): string[] {
  const { code, subject = '', pod, other } = reason;
  switch (code) {
    case 'TaintNotTolerated':
      return [`the pod does not tolerate ${subject}`];
    case 'RequirementsIncompatible':
      return pod && other ? [bothSides(subject, pod, other, kind)] : [shortMessage(reason.message)];
    case 'VolumeTopology':
      return [
        ...(pod && other ? [bothSides(subject, pod, other, kind, 'the volume is')] : [shortMessage(reason.message)]),
        ...objectsOf(reason),
      ];
    case 'UnknownLabelValue':
      return other === undefined
        ? [unknownLabel(reason, kind)]
        : [`${subject}: the pod wants ${values(subject, pod ?? '')}, known are ${other}`];
    case 'NodePoolLimit':
      return other
        ? [
            `a node for the pod takes ${pod}, the limit leaves ${other}`,
            ...plannedLine(reason),
            ...funnelLines(reason, arrow),
          ]
        : [shortMessage(reason.message)];
    case 'MinValues':
      return pod && other
        ? [`${subject}: the pool asks for at least ${other} values, types that would hold the pod have ${pod}`]
        : [shortMessage(reason.message)];
    case 'TopologySpread':
    case 'PodAffinity':
    case 'PodAntiAffinity':
      // Upstream's counts, in a parenthesis that it never closes.
      return reason.topology ? topologySentences(reason.topology) : [reason.message.replace(/ \(counts = .*$/s, '')];
    case 'InsufficientResources':
      if (pod && other) return [`the pod asks for ${rounded(pod)}, ${IT[kind]} has ${rounded(other)} left`];
      return [shortMessage(reason.message), ...funnelLines(reason, arrow)];
    default:
      return [shortMessage(reason.message), ...funnelLines(reason, arrow), ...objectsOf(reason)];
  }
}

function plannedLine({ planned }: Reason): string[] {
  return planned ? [`nodes planned before it count as the largest they may become, and take ${planned}`] : [];
}

function bothSides(key: string, pod: string, other: string, kind: Kind, wants = 'the pod wants'): string {
  return `${key}: ${wants} ${values(key, pod)}, ${IT[kind]} has ${values(key, other)}`;
}

/** A printed requirement without its key. */
function values(key: string, printed: string): string {
  return printed.startsWith(`${key} `) ? printed.slice(key.length + 1) : printed;
}

function unknownLabel({ subject = '', pod = '', message }: Reason, kind: Kind): string {
  const typo = /\(typo of "([^"]+)"\?\)/.exec(message)?.[1];
  const wants = `${subject}: the pod wants ${values(subject, pod)}, ${IT[kind]} has no such label`;
  return typo ? `${wants}; is ${typo} meant?` : wants;
}

/** Domains of a rule about other pods. */
const SHOWN = 6;

const SHORT: Readonly<Record<string, string>> = {
  [LABEL_ARCH]: 'arch',
  [LABEL_OS]: 'os',
  [LABEL_ZONE]: 'zone',
  [LABEL_CAPACITY_TYPE]: 'capacity type',
  [LABEL_INSTANCE_TYPE]: 'instance type',
};

function funnelLines({ funnel = [], size, soldOut = [] }: Reason, arrow: string): string[] {
  const steps = funnel.map(({ step, left, asked }) => `${left} ${SHORT[step] ?? step}${asked ? ` ${asked}` : ''}`);
  const lines = steps.length > 0 ? [steps.join(` ${arrow} `)] : [];
  if (size) {
    lines.push(`the pod asks for ${amounts(size.pod)}; the most on one type is ${amounts(size.most)}`);
    for (const { name, requests } of size.daemons) lines.push(`DaemonSet ${name} takes ${amounts(requests)} of it`);
  }
  for (const { instanceType, zone, capacityType, until } of soldOut) {
    lines.push(`sold out: ${instanceType} ${capacityType} in ${zone}${until ? `, until ${until}` : ''}`);
  }
  return lines;
}

function amounts(resources: Readonly<Record<string, string>>): string {
  return Object.entries(resources)
    .map(([name, quantity]) => `${name} ${formatAmount(name, parseQuantityMilli(quantity))}`)
    .join(', ');
}

/** `memory 1073741824` as `memory 1Gi`. */
function rounded(amount: string): string {
  const [name = '', quantity = '0'] = amount.split(' ');
  return `${name} ${formatAmount(name, parseQuantityMilli(quantity))}`;
}

function objectsOf({ objects = [] }: Reason): string[] {
  return objects.length > 0 ? [`because of ${objects.join(', ')}`] : [];
}

/** What the rule asks, what is in each domain, and where the pod could go but for something else. */
export function topologySentences(facts: TopologyFacts): string[] {
  const { key, domains, rule } = facts;
  const first = `${key}: ${ruleText(facts)}`;
  const names = domains.map(({ domain }) => domain);
  if (rule === 'PodAffinity' && domains.every(({ count }) => count === 0)) {
    return [first, `no such pod runs in ${names.length > 0 ? listed(names, SHOWN) : 'any domain'}`];
  }
  const open = domains.filter(({ allowed }) => allowed);
  const why = open.flatMap(({ domain, unreachable }) => (unreachable ? [`${domain}: ${unreachable}`] : []));
  return [
    first,
    domains.length > 0 ? listed(domains.map(domainText), SHOWN) : 'no domain has such a pod',
    open.length > 0
      ? `allowed: ${listed(
          open.map(({ domain }) => domain),
          SHOWN,
        )}`
      : 'no domain is allowed',
    ...why.slice(0, SHOWN),
  ];
}

function ruleText({ rule, selector, ofOthers, maxSkew, minDomains }: TopologyFacts): string {
  const pods = selector === '' ? 'pods' : `pods with ${selector}`;
  if (rule === 'TopologySpread') {
    const least = minDomains === undefined ? '' : `, in ${minDomains} domains at least`;
    return `${pods} at most ${maxSkew} more than where there are fewest${least}`;
  }
  if (rule === 'PodAffinity') return `together with ${pods}`;
  return ofOthers ? `other pods keep away from ${pods}` : `away from ${pods}`;
}

function domainText({ domain, count, pods }: TopologyFacts['domains'][number]): string {
  if (pods.length === 0) return `${domain} ${count}`;
  const named = pods.slice(0, 2).join(', ');
  return `${domain} ${count} (${named}${count > 2 ? ', …' : ''})`;
}
