/** Every rule of a pool that keeps a pod away, not only the one that upstream comes to first. */
import { hasBit } from './bit-set.ts';
import { portConflict } from './host-ports.ts';
import type { InstanceType } from './instance-type.ts';
import { limitReasons } from './limit-reasons.ts';
import type { NodePoolTemplate } from './node-pool-template.ts';
import type { PodShape } from './pod-shape.ts';
import { incompatible, taintReason, topologyReason } from './reasons.ts';
import { Requirement } from './requirement.ts';
import { Requirements } from './requirements.ts';
import type { SchedulingRun } from './scheduling-run.ts';
import { untolerated } from './taints.ts';
import { topologyFacts } from './topology-facts.ts';
import { type Funnel, funnelReason, typeFunnel } from './type-funnel.ts';
import type { TypeVerdict } from './type-verdicts.ts';
import type { Reason } from './types.ts';

/**
 * Upstream's reasons first, then what else would refuse the pod if they were out of the way. A rule that is among both has
 * upstream's words and our facts.
 */
export function everyReason(
  run: SchedulingRun,
  shape: PodShape,
  template: NodePoolTemplate,
  upstream: readonly Reason[],
): readonly Reason[] {
  const funnel = poolFunnel(run, shape, template);
  const limits = limitReasons(run, shape, template, funnel.holding).map((reason) =>
    funnel.emptied === 'limits' ? { ...reason, funnel: funnel.steps } : reason,
  );
  const labels = labelReasons(run, shape, template);
  const types = consequence(funnel, labels) ? undefined : funnelReason(funnel);
  const found = [
    ...limits,
    ...untolerated(template.taints, shape.spec.tolerations).map(taintReason),
    ...labels,
    ...volumeReasons(run, shape, template),
    ...topologyReasons(run, shape, template),
    ...portReasons(shape, template),
    ...(types && !(types.code === 'NodePoolLimit' && limits.length > 0) ? [types] : []),
  ];
  const known = new Set<Reason>();
  const first = upstream.map((reason) => {
    const cause = ABOUT_TYPES.has(reason.code) ? causeOf(funnel, found) : undefined;
    if (cause) {
      known.add(cause);
      return cause;
    }
    const same = found.find((other) => !known.has(other) && isSameRule(reason, other));
    if (!same) return reason;
    known.add(same);
    return { ...reason, ...same, message: reason.message };
  });
  return [...first, ...found.filter((reason) => !known.has(reason))];
}

/**
 * What it really is when upstream finds no instance type: it looks only at what limits leave, and leaves out types whose
 * daemons take the pod's port.
 */
function causeOf({ emptied }: Funnel, found: readonly Reason[]): Reason | undefined {
  if (emptied === 'limits') return found.find(({ code }) => code === 'NodePoolLimit');
  return emptied === undefined ? found.find(({ code }) => code === 'HostPortConflict') : undefined;
}

/** What each instance type of the pool comes to for the shape, as things are now. */
export function typeVerdicts(run: SchedulingRun, shape: PodShape, template: NodePoolTemplate): readonly TypeVerdict[] {
  return poolFunnel(run, shape, template).verdicts();
}

/** Whether the types only lack what pod and pool don't agree on in the first place. */
function consequence({ emptied, steps }: Funnel, labels: readonly Reason[]): boolean {
  return emptied === 'requirements' && labels.some(({ subject }) => subject === steps.at(-1)?.step);
}

const ABOUT_TYPES: ReadonlySet<string> = new Set(['NoInstanceType', 'NoOffering', 'InsufficientResources']);

function isSameRule(a: Reason, b: Reason): boolean {
  if (ABOUT_TYPES.has(a.code) && ABOUT_TYPES.has(b.code)) return true;
  return a.code === b.code && (a.subject === undefined || b.subject === undefined || a.subject === b.subject);
}

/** One for each label key on which pod and pool don't agree. */
function labelReasons(run: SchedulingRun, shape: PodShape, template: NodePoolTemplate): readonly Reason[] {
  const { wellKnown } = run.state.sets;
  const own = template.set.requirements;
  return [...shape.set.requirements].flatMap((requirement) => {
    const wanted = new Requirements([requirement]);
    return own.compatible(wanted, wellKnown)
      ? []
      : [incompatible('incompatible requirements, ', own, wanted, wellKnown)];
  });
}

/** One for each claim whose volume is where the pool is not, or the pod does not want to be. */
function volumeReasons(run: SchedulingRun, shape: PodShape, template: NodePoolTemplate): readonly Reason[] {
  const { sets, volumes } = run.state;
  const node = sets.join(template.set, shape.set, true) ?? template.set;
  const source = { metadata: { name: '', namespace: shape.namespace }, spec: shape.spec };
  return volumes.places(source).flatMap(({ objects, alternatives }) => {
    if (alternatives.some((place) => node.requirements.compatible(place, sets.wellKnown))) return [];
    const [place] = alternatives;
    if (!place) return [];
    const reason = incompatible('incompatible volume requirements, ', node.requirements, place, sets.wellKnown);
    return [{ ...reason, code: 'VolumeTopology', objects }];
  });
}

/** By the pool's domains where pod and pool don't agree on them. */
function topologyReasons(run: SchedulingRun, shape: PodShape, template: NodePoolTemplate): readonly Reason[] {
  const claim = run.claims.preview(template);
  const node = run.state.sets.join(template.set, shape.set, true) ?? template.set;
  return [...run.topology.failures(shape, node, claim)].map((failure) => ({
    ...topologyReason(failure, () => run.hostnames()),
    topology: topologyFacts(run, failure, (domain) =>
      unreachable(run, shape, template, failure.group.rule.key, domain),
    ),
  }));
}

/** Why no node of the pool that the pod could use is in the domain. */
function unreachable(
  run: SchedulingRun,
  shape: PodShape,
  template: NodePoolTemplate,
  key: string,
  domain: string,
): string | undefined {
  const own = template.set.requirements.find(key);
  if (own && !own.has(domain)) return `the pool has ${String(own).slice(key.length + 1)}`;
  const node = run.state.sets.join(template.set, shape.set, true) ?? template.set;
  const there = node.requirements.copy();
  there.add(Requirement.of(key, 'In', [domain]));
  const sold = typesOf(run, template).filter((type) => type.requirements.intersects(there));
  const offers = sold.flatMap((type) => type.offerings.filter((offering) => offering.requirements.intersects(there)));
  if (offers.length === 0) return 'the provider sells nothing there that fits';
  return offers.some(({ available }) => available) ? undefined : 'everything there that fits is sold out';
}

function typesOf(run: SchedulingRun, { nodePool }: NodePoolTemplate): readonly InstanceType[] {
  return run.state.pools.find((pool) => pool.nodePool === nodePool)?.instanceTypes ?? [];
}

/** A port that daemons of every type of the pool take. */
function portReasons({ ports }: PodShape, { daemonPorts, catalogue }: NodePoolTemplate): readonly Reason[] {
  const conflicts = daemonPorts.map((taken) => portConflict(ports, taken));
  const [first] = conflicts;
  if (!first || conflicts.includes(undefined)) return [];
  const { port, protocol } = first.wanted;
  const daemons = catalogue.groups[0]?.daemons.map(({ name }) => `DaemonSet/${name}`) ?? [];
  const message = `host port ${port}/${protocol} is taken by a daemon on every node of the pool`;
  return [{ code: 'HostPortConflict', message, subject: String(port), objects: daemons }];
}

function poolFunnel(run: SchedulingRun, shape: PodShape, template: NodePoolTemplate): Funnel {
  const allowed = run.limits.within(template);
  return typeFunnel({
    instanceTypes: typesOf(run, template),
    pool: template.set.requirements,
    pod: withVolume(shape),
    requests: shape.requests,
    groups: template.catalogue.groups,
    withinLimits: (type) => {
      const variant = template.catalogue.indexOf(type);
      return variant < 0 || (allowed !== undefined && hasBit(allowed, variant));
    },
  });
}

/** With what a volume that can only be in one place says. */
function withVolume({ set, volumeAlternatives = [] }: PodShape): Requirements {
  const [place] = volumeAlternatives;
  if (!place || volumeAlternatives.length > 1 || !set.requirements.intersects(place.set.requirements)) {
    return set.requirements;
  }
  const both = set.requirements.copy();
  both.addAll(place.set.requirements);
  return both;
}
