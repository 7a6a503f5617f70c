import { formatMilli } from '../kube/quantity.ts';
import { type HostPort, portConflict } from './host-ports.ts';
import type { DaemonGroup } from './instance-catalogue.ts';
import { allocatableOfferings } from './instance-offerings.ts';
import type { InstanceType } from './instance-type.ts';
import { satisfiesMinValues } from './min-values.ts';
import type { Requirements } from './requirements.ts';
import { addResources, fits, largestResources, smallerResources } from './resource-list.ts';
import type { Resources } from './resources.ts';
import type { Reason, ReasonCode } from './types.ts';

export interface InstanceTypeQuestion {
  readonly groups: readonly (DaemonGroup & { readonly ports: readonly HostPort[] })[];
  /** Types that limits leave. */
  readonly allowed: (type: InstanceType) => boolean;
  readonly requirements: Requirements;
  readonly requests: Resources;
  readonly ports: readonly HostPort[];
  readonly wellKnown: ReadonlySet<string>;
  readonly strictMinValues: boolean;
  readonly keepKnownFaults: boolean;
}

/** More CPUs than this were asked for by writing M for m. */
const TYPO_CPU = 1_000_000_000;

/** Why no instance type can be a new node for a pod, in upstream's words (karpenter-core.md 4.6.6); undefined when one can. */
export function instanceTypeProblem(question: InstanceTypeQuestion): Reason | undefined {
  const { groups, requirements, requests } = question;
  const verdicts: Verdict[] = [];
  const overheads: Resources[] = [];
  for (const group of groups) {
    if (portConflict(question.ports, group.ports)) continue;
    if (Object.keys(group.overhead).length > 0) overheads.push(group.overhead);
    for (const type of group.instanceTypes)
      if (question.allowed(type)) verdicts.push(judge(type, group.overhead, question));
  }
  const details = `requirements=${requirements}, resources=${resourcesText(requests, overheads)}`;
  const good = verdicts.filter((v) => v.compatible && v.fits && v.offered);
  const { error, shortfall } = satisfiesMinValues(
    good.map((v) => v.type),
    requirements,
    question.keepKnownFaults,
  );
  if (error !== undefined && question.strictMinValues) {
    return { code: 'MinValues', message: `${error}, ${details}`, ...shortOf(shortfall, requirements) };
  }
  if (good.length > 0) return undefined;
  const [code, text] = explain(verdicts);
  const typo = code === 'InsufficientResources' && text.includes('has enough') && (requests.cpu ?? 0) >= TYPO_CPU;
  const hint = typo ? ' (CPU request >= 1 Million, m vs M typo?)' : '';
  return { code, message: `${text}, ${details}${hint}` };
}

/** The first label with too few values: how many are asked for, and how many there are among types that would do. */
function shortOf(shortfall: ReadonlyMap<string, number>, requirements: Requirements): Partial<Reason> {
  const [[subject, values] = ['', 0]] = [...shortfall].sort(([a], [b]) => (a < b ? -1 : 1));
  return { subject, pod: String(values), other: String(requirements.get(subject).minValues) };
}

interface Verdict {
  readonly type: InstanceType;
  readonly compatible: boolean;
  readonly fits: boolean;
  readonly offered: boolean;
}

function judge(type: InstanceType, overhead: Resources, question: InstanceTypeQuestion): Verdict {
  const { requirements, requests, wellKnown } = question;
  const total = addResources(requests, overhead);
  let offered = false;
  let fitsSome = false;
  for (const { allocatable, offerings } of allocatableOfferings(type)) {
    if (!offerings.some((offering) => requirements.compatible(offering.requirements, wellKnown))) continue;
    offered = true;
    fitsSome ||= fits(total, allocatable);
  }
  // Upstream calls it fitting only where there is an offering too.
  return { type, compatible: type.requirements.intersects(requirements), fits: fitsSome, offered };
}

function explain(verdicts: readonly Verdict[]): readonly [ReasonCode, string] {
  const some = (test: (v: Verdict) => boolean): boolean => verdicts.some(test);
  const compatible = some((v) => v.compatible);
  const fit = some((v) => v.fits);
  const offered = some((v) => v.offered);
  if (!compatible && !fit && !offered) {
    return [
      'NoInstanceType',
      'no instance type met the scheduling requirements or had enough resources or had a required offering',
    ];
  }
  if (!compatible && !fit) {
    return ['NoInstanceType', 'no instance type met the scheduling requirements or had enough resources'];
  }
  if (!compatible && !offered) {
    return ['NoInstanceType', 'no instance type met the scheduling requirements or had a required offering'];
  }
  if (!fit && !offered) return ['NoOffering', 'no instance type had enough resources or had a required offering'];
  if (!compatible) return ['NoInstanceType', 'no instance type met all requirements'];
  if (!fit) return ['InsufficientResources', 'no instance type has enough resources'];
  if (!offered) return ['NoOffering', 'no instance type has the required offering'];
  if (some((v) => v.compatible && v.fits && !v.offered)) {
    return [
      'NoOffering',
      'no instance type which met the scheduling requirements and had enough resources, had a required offering',
    ];
  }
  if (some((v) => v.fits && v.offered && !v.compatible)) {
    return [
      'NoInstanceType',
      'no instance type which had enough resources and the required offering met the scheduling requirements',
    ];
  }
  if (some((v) => v.compatible && v.offered && !v.fits)) {
    return [
      'InsufficientResources',
      'no instance type which met the scheduling requirements and the required offering had the required resources',
    ];
  }
  return ['NoInstanceType', 'no instance type met the requirements/resources/offering tuple'];
}

function resourcesText(requests: Resources, overheads: readonly Resources[]): string {
  const [first] = overheads;
  if (!first) return printResources(requests);
  const least = printResources(addResources(overheads.reduce(smallerResources), requests));
  const most = printResources(addResources(largestResources(overheads), requests));
  return least === most ? least : `min=${least}, max=${most}`;
}

/** As JSON with sorted keys. */
function printResources(resources: Resources): string {
  const sorted = Object.entries(resources).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted.map(([name, amount]) => [name, formatMilli(name, amount)])));
}
