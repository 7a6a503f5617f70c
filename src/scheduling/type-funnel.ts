/** How a pool's instance types are thinned out, one question at a time, until none is left that could hold a pod. */
import { LABEL_ARCH, LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_OS, LABEL_ZONE } from '../apis/labels.ts';
import type { DaemonGroup } from './instance-catalogue.ts';
import { allocatable } from './instance-offerings.ts';
import type { InstanceType, Offering } from './instance-type.ts';
import type { Requirement } from './requirement.ts';
import { Requirements } from './requirements.ts';
import { addResources, fits, largestResources, toResourceList } from './resource-list.ts';
import type { Resources } from './resources.ts';
import { refusal, shortage, type TypeVerdict, wouldDo } from './type-verdicts.ts';
import type { FunnelStep, Reason, SizeFacts, SoldOut } from './types.ts';

export interface FunnelQuestion {
  /** Everything that the provider sells to the pool. */
  readonly instanceTypes: readonly InstanceType[];
  readonly pool: Requirements;
  /** Where it contradicts the pool it has its way: that contradiction is another rule's to tell. */
  readonly pod: Requirements;
  readonly requests: Resources;
  readonly groups: readonly DaemonGroup[];
  readonly withinLimits: (type: InstanceType) => boolean;
}

export interface Funnel {
  readonly steps: readonly FunnelStep[];
  /** The step that left nothing; undefined when something is left. */
  readonly emptied: 'requirements' | 'size' | 'limits' | 'on sale' | undefined;
  /** Types that meet the requirements and are large enough, on sale or not. */
  readonly holding: readonly InstanceType[];
  /** Of every type: those that would do first, then by the step that refuses them. */
  readonly verdicts: () => readonly TypeVerdict[];
  readonly size?: SizeFacts;
  readonly soldOut?: readonly SoldOut[];
}

/** What people ask about first; other labels follow by name. */
const FIRST = [LABEL_ARCH, LABEL_OS, LABEL_ZONE, LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE];
const NAMED = 5;

export function typeFunnel(question: FunnelQuestion): Funnel {
  const steps: FunnelStep[] = [{ step: 'instance types', left: question.instanceTypes.length }];
  const asked = new Requirements();
  let left = question.instanceTypes;
  const known = labelsOf(question.instanceTypes);
  const refused: (() => TypeVerdict)[] = [];
  const total = (type: InstanceType): Resources => addResources(question.requests, overheadOf(type, question.groups));
  const narrow = (step: string, next: readonly InstanceType[], printed?: string): boolean => {
    const stay = new Set(next);
    for (const type of left) {
      if (stay.has(type)) continue;
      refused.push(() => refusal(type, step, step === 'size' ? shortage(total(type), rooms(type, asked)) : printed));
    }
    if (next.length < left.length) steps.push({ step, left: next.length, ...(printed ? { asked: printed } : {}) });
    left = next;
    return left.length === 0;
  };
  const verdicts = (): readonly TypeVerdict[] => [
    ...left.map((type) => {
      // The pod has had its way so far.
      const own = [...question.pool].find(
        ({ key }) => known.has(key) && !sells(type, new Requirements([question.pool.get(key)])),
      );
      return own ? refusal(type, own.key, valuesOf(own)) : wouldDo(type, asked);
    }),
    ...refused.map((verdict) => verdict()),
  ];
  for (const requirement of wanted(question)) {
    if (!known.has(requirement.key)) continue;
    asked.add(requirement);
    if (
      narrow(
        requirement.key,
        left.filter((type) => sells(type, asked)),
        valuesOf(requirement),
      )
    )
      return { steps, emptied: 'requirements', holding: [], verdicts };
  }
  const before = left;
  const holding = left.filter((type) => rooms(type, asked).some((room) => fits(total(type), room)));
  if (narrow('size', holding)) {
    return { steps, emptied: 'size', holding, verdicts, size: sizeFacts(before, question) };
  }
  if (narrow('limits', left.filter(question.withinLimits))) return { steps, emptied: 'limits', holding, verdicts };
  const fitting = left;
  const onSale = left.filter((type) => type.offerings.some((o) => o.available && o.requirements.intersects(asked)));
  if (narrow('on sale', onSale)) {
    return { steps, emptied: 'on sale', holding, verdicts, soldOut: soldOut(fitting, asked) };
  }
  return { steps, emptied: undefined, holding, verdicts };
}

/** As a reason of its own, in our words; undefined when types are left. */
export function funnelReason({ steps, emptied, size, soldOut }: Funnel): Reason | undefined {
  const codes = { requirements: 'NoInstanceType', size: 'InsufficientResources', limits: 'NodePoolLimit' } as const;
  if (emptied === undefined) return undefined;
  const texts = {
    requirements: 'no instance type has these labels',
    size: 'no instance type has enough resources',
    limits: 'instance types that are large enough exceed the limits',
    'on sale': 'all offerings that fit are sold out',
  };
  return {
    code: emptied === 'on sale' ? 'NoOffering' : codes[emptied],
    message: texts[emptied],
    funnel: steps,
    ...(size ? { size } : {}),
    ...(soldOut ? { soldOut } : {}),
  };
}

function wanted({ pool, pod }: FunnelQuestion): readonly Requirement[] {
  const keys = [...new Set([...pool.keys(), ...pod.keys()])];
  const others = keys.filter((key) => !FIRST.includes(key)).sort();
  return [...FIRST.filter((key) => keys.includes(key)), ...others].map((key) => {
    const [own, incoming] = [pool.find(key), pod.find(key)];
    if (own && incoming) return own.overlaps(incoming) ? own.intersection(incoming) : incoming;
    return own ?? incoming ?? pool.get(key);
  });
}

/** Labels by which types and offerings differ; others, of which a pod may name any number, leave all of them. */
function labelsOf(types: readonly InstanceType[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { requirements, offerings } of types) {
    for (const key of requirements.keys()) keys.add(key);
    for (const offering of offerings) for (const key of offering.requirements.keys()) keys.add(key);
  }
  return keys;
}

/** Whether the type is ever sold like that, now or not. */
function sells(type: InstanceType, asked: Requirements): boolean {
  return type.requirements.intersects(asked) && type.offerings.some((o) => o.requirements.intersects(asked));
}

function valuesOf(requirement: Requirement): string {
  return String(requirement).slice(requirement.key.length + 1);
}

/** What the type leaves to pods and daemons, for each way in which it is sold. */
function rooms(type: InstanceType, asked: Requirements): readonly Resources[] {
  const special = type.offerings.filter(
    (o) => (o.capacityOverride || o.overheadOverride) && o.requirements.intersects(asked),
  );
  return [allocatable(type), ...special.map((offering) => allocatable(type, offering))];
}

/** Types that the pool itself rules out are taken to get the daemons that its first ones get. */
function groupOf(type: InstanceType, groups: readonly DaemonGroup[]): DaemonGroup | undefined {
  return groups.find(({ instanceTypes }) => instanceTypes.includes(type)) ?? groups[0];
}

function overheadOf(type: InstanceType, groups: readonly DaemonGroup[]): Resources {
  return groupOf(type, groups)?.overhead ?? {};
}

function sizeFacts(types: readonly InstanceType[], { requests, groups }: FunnelQuestion): SizeFacts {
  const most = largestResources(types.map((type) => allocatable(type)));
  const largest = types.toSorted((a, b) => (b.capacity.cpu ?? 0) - (a.capacity.cpu ?? 0))[0];
  const group = largest && groupOf(largest, groups);
  const total = addResources(requests, group?.overhead ?? {});
  const over = Object.keys(requests).filter((name) => (total[name] ?? 0) > (most[name] ?? 0));
  // Each might be had alone, only not all together.
  const short = over.length > 0 ? over : Object.keys(requests).filter((name) => name !== 'pods');
  const pick = (resources: Resources): Resources =>
    Object.fromEntries(short.map((name) => [name, resources[name] ?? 0]));
  return {
    pod: toResourceList(pick(requests)),
    daemons: (group?.daemons ?? [])
      .map((daemon) => ({ name: daemon.name, requests: toResourceList(pick(daemon.requests)) }))
      .filter((daemon) => Object.values(daemon.requests).some((quantity) => quantity !== '0')),
    most: toResourceList(pick(most)),
  };
}

function soldOut(types: readonly InstanceType[], asked: Requirements): readonly SoldOut[] {
  const offers = types.flatMap((type) =>
    type.offerings.filter((o) => o.requirements.intersects(asked)).map((offering) => ({ type, offering })),
  );
  return offers
    .toSorted((a, b) => a.offering.price - b.offering.price)
    .slice(0, NAMED)
    .map(({ type, offering }) => ({
      instanceType: type.name,
      zone: labelOf(offering, LABEL_ZONE),
      capacityType: labelOf(offering, LABEL_CAPACITY_TYPE),
      ...(offering.unavailableUntil === undefined ? {} : { until: rfc3339(offering.unavailableUntil) }),
    }));
}

const labelOf = ({ requirements }: Offering, key: string): string => requirements.get(key).any();

const rfc3339 = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
