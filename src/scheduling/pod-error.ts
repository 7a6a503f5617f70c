/** Why a pod was left without a node, worked out after the pass for those that were. */
import { LABEL_HOSTNAME } from '../apis/labels.ts';
import { hasBit, isEmpty } from './bit-set.ts';
import { instanceTypeProblem } from './instance-type-problem.ts';
import { NOT_TRIED, nodeFailures } from './node-failures.ts';
import type { NodePoolTemplate } from './node-pool-template.ts';
import type { EmptyPool } from './node-pool-templates.ts';
import type { OpenClaim } from './open-claim.ts';
import type { PodShape } from './pod-shape.ts';
import { everyReason, typeVerdicts } from './pool-reasons.ts';
import { incompatible, taintReason, topologyReason } from './reasons.ts';
import { Requirement } from './requirement.ts';
import type { RequirementSet } from './requirement-sets.ts';
import { Requirements } from './requirements.ts';
import type { Failure, SchedulingRun } from './scheduling-run.ts';
import { untolerated } from './taints.ts';
import type { PodError, Reason, TargetFailure } from './types.ts';
import { unusablePools } from './unusable-pools.ts';

const CLAIMS = 'pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter';
const NO_TEMPLATES = 'nodepool requirements filtered out all available instance types';
const NO_RESERVATION =
  'one or more instance types with compatible reserved offerings are available, but could not be reserved';

/**
 * Looks at the run as it ended: nothing has changed since the pod was last tried.
 *
 * @param inFull with every rule of every pool and node
 */
export function podError(run: SchedulingRun, { shape, kind }: Failure, inFull: boolean): PodError {
  if (kind === 'resource claims') return { code: 'DRA', message: CLAIMS };
  const failures = run.state.templates.map((template) => templateFailure(run, shape, template));
  const [first] = failures;
  const complete = (error: PodError): PodError =>
    inFull ? { ...error, targets: targetsOf(run, shape, failures) } : error;
  if (!first) return complete({ code: 'NoInstanceType', message: NO_TEMPLATES });
  const reached = kind === 'reserved' ? failures.slice(0, indexOfReserved(failures) + 1) : failures;
  const message = reached.flatMap(({ reasons }) => reasons.map((reason) => reason.message)).join('; ');
  const code = kind === 'reserved' ? 'ReservedOffering' : (nearest(failures)?.reasons[0]?.code ?? 'NoInstanceType');
  return complete({ code, message });
}

/** How far a pool or node got; the further, the nearer the miss. */
const STAGES: readonly string[] = [
  'NodePoolLimit',
  'TaintNotTolerated',
  'UnknownLabelValue',
  'RequirementsIncompatible',
  'VolumeTopology',
  'VolumeLimit',
  'NoInstanceType',
  'NoOffering',
  'InsufficientResources',
  'MinValues',
  'PodAntiAffinity',
  'PodAffinity',
  'TopologySpread',
  'ReservedOffering',
];

function stage({ reasons }: TargetFailure): number {
  return STAGES.indexOf(reasons[0]?.code ?? '');
}

function nearest(failures: readonly TargetFailure[]): TargetFailure | undefined {
  return failures.toSorted((a, b) => stage(b) - stage(a))[0];
}

function indexOfReserved(failures: readonly TargetFailure[]): number {
  return failures.findIndex(({ reasons }) => reasons.some(({ code }) => code === 'ReservedOffering'));
}

/** Every pool and node with the rules that keep the shape away; without any where it could go now. Pools first. */
export function podTargets(run: SchedulingRun, shape: PodShape): readonly TargetFailure[] {
  const failures = run.state.templates.map((template) => templateFailure(run, shape, template));
  return targetsOf(run, shape, failures).map((target) =>
    target.reasons.every((reason) => NO_OBJECTION.has(reason.message)) ? { ...target, reasons: [] } : target,
  );
}

/** Said of what nothing speaks against. */
const NO_OBJECTION: ReadonlySet<string> = new Set([NO_RESERVATION, NOT_TRIED]);

/** Pools first; of those, the ones with the fewest rules in the way. */
function targetsOf(run: SchedulingRun, shape: PodShape, failures: readonly TargetFailure[]): readonly TargetFailure[] {
  const pools = failures.map(({ kind, name, reasons }, i) => {
    const template = run.state.templates[i];
    if (!template) return { kind, name, reasons };
    const types = run.options.reasonsFor ? { types: typeVerdicts(run, shape, template) } : {};
    return { kind, name, reasons: everyReason(run, shape, template, reasons), ...types };
  });
  const others = [...run.state.emptyPools.map(emptyPoolFailure), ...unusablePools(run.state.world.pools)];
  const nodes = nodeFailures(run, shape).sort((a, b) => stage(b) - stage(a));
  return [...pools.sort(nearerFirst), ...others, ...nodes];
}

function nearerFirst(a: TargetFailure, b: TargetFailure): number {
  return a.reasons.length - b.reasons.length || stage(b) - stage(a);
}

function emptyPoolFailure({ nodePool, minValues }: EmptyPool): TargetFailure {
  const message = minValues
    ? 'minValues of the pool: its requirements leave too few instance types'
    : 'the requirements of the pool leave no instance type that is on sale';
  const reason: Reason = { code: minValues ? 'MinValues' : 'NoInstanceType', message };
  return { kind: 'NodePool', name: nodePool.metadata.name, reasons: [reason] };
}

function templateFailure(run: SchedulingRun, shape: PodShape, template: NodePoolTemplate): TargetFailure {
  return { kind: 'NodePool', name: template.name, reasons: templateReasons(run, shape, template) };
}

function templateReasons(run: SchedulingRun, shape: PodShape, template: NodePoolTemplate): readonly Reason[] {
  const limit = limitReason(run, template);
  if (limit) return [limit];
  const taints = untolerated(template.taints, shape.spec.tolerations);
  if (taints.length > 0) return taints.map(taintReason);
  const claim = run.claims.preview(template);
  const { sets } = run.state;
  const joined = shape.hostname?.has(claim.hostname) === false ? undefined : sets.join(template.set, shape.set, true);
  if (!joined) return [requirementReason(claim, withHostname(shape.set, shape.hostname), sets.wellKnown)];
  let last: Reason | undefined;
  for (const alternative of shape.volumeAlternatives ?? [undefined]) {
    const node = alternative ? sets.join(joined, alternative.set, true) : joined;
    if (!node || alternative?.hostname?.has(claim.hostname) === false) {
      last = volumeReason(joined, withHostname(alternative?.set ?? sets.empty, alternative?.hostname), sets.wellKnown);
      continue;
    }
    const failure = run.topology.failure(shape, node, claim);
    if (failure?.chosen) last = incompatible('', node.requirements, new Requirements([failure.chosen]), sets.wellKnown);
    else last = failure ? topologyReason(failure, () => run.hostnames()) : claimReason(run, shape, claim, node);
  }
  return last ? [last] : [];
}

/** What remains once topology has no objection to the node by itself. */
function claimReason(run: SchedulingRun, shape: PodShape, claim: OpenClaim, node: RequirementSet): Reason {
  const { template } = claim;
  const { sets } = run.state;
  const set = run.topology.tighten(shape, node, claim);
  if (!set) {
    const message = `unsatisfiable topology constraints: no domain satisfies all of them, nodeDomains = ${node.requirements}`;
    return { code: 'TopologySpread', message };
  }
  const allowed = run.limits.within(template);
  const tooMany = attachReason(run, shape, template);
  if (tooMany) return tooMany;
  const problem = instanceTypeProblem({
    groups: template.catalogue.groups.map((group, i) => ({ ...group, ports: template.daemonPorts[i] ?? [] })),
    allowed: (type) => {
      const variant = template.catalogue.indexOf(type);
      return allowed === undefined || (variant >= 0 && hasBit(allowed, variant));
    },
    requirements: set.requirements,
    requests: shape.requests,
    ports: shape.ports,
    wellKnown: sets.wellKnown,
    keepKnownFaults: run.options.keepKnownFaults ?? false,
    strictMinValues: run.options.minValuesPolicy === 'Strict',
  });
  return problem ?? { code: 'ReservedOffering', message: NO_RESERVATION };
}

/** No type of the pool can attach as many volumes as the pod alone has. */
function attachReason(run: SchedulingRun, shape: PodShape, { catalogue, name }: NodePoolTemplate): Reason | undefined {
  if (run.state.attachLimits.isEmpty) return undefined;
  for (const [driver, { size }] of shape.volumes) {
    const bits = run.state.attachLimits.within(catalogue, new Map([[driver, size]]));
    if (!isEmpty(bits)) continue;
    const message = `no instance type can attach ${size} volumes of ${driver} (NodePool=${name})`;
    return { code: 'VolumeLimit', message, subject: driver };
  }
  return undefined;
}

function limitReason(run: SchedulingRun, template: NodePoolTemplate): Reason | undefined {
  const objects = [`NodePool/${template.name}`];
  if (run.limits.nodesExhausted(template.name)) {
    const message = `node limits have been exhausted for nodepool (NodePool=${template.name})`;
    return { code: 'NodePoolLimit', message, subject: 'nodes', objects };
  }
  if (run.limits.within(template)?.some((word) => word !== 0)) return undefined;
  const message = `all available instance types exceed limits for nodepool (NodePool=${template.name})`;
  return { code: 'NodePoolLimit', message, objects };
}

function requirementReason(claim: OpenClaim, wanted: Requirements, wellKnown: ReadonlySet<string>): Reason {
  const own = new Requirements(claim.set.requirements);
  own.add(Requirement.of(LABEL_HOSTNAME, 'In', [claim.hostname]));
  return incompatible('incompatible requirements, ', own, wanted, wellKnown);
}

function volumeReason(node: RequirementSet, wanted: Requirements, wellKnown: ReadonlySet<string>): Reason {
  const reason = incompatible('incompatible volume requirements, ', node.requirements, wanted, wellKnown);
  return { ...reason, code: 'VolumeTopology' };
}

function withHostname(set: RequirementSet, hostname: Requirement | undefined): Requirements {
  return hostname ? new Requirements([...set.requirements, hostname]) : set.requirements;
}
