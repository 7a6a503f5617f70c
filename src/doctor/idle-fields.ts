import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE } from '../apis/labels.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { FeatureGates } from '../operator/options.ts';

/** Resources without a domain that a node can have; `nodes` counts them. */
const LIMITABLE = /^(cpu|memory|pods|ephemeral-storage|nodes|storage|hugepages-\S+|\S+\/\S+)$/;

const POLICY_DEFAULT = 'WhenEmptyOrUnderutilized';

/** What is set on a pool and has no effect, with the reason, one a line. */
export function idleFields({ spec }: NodePool, gates: FeatureGates): readonly string[] {
  return [...staticFields(spec, gates), ...disruptionFields(spec), ...otherFields(spec, gates)];
}

function* staticFields({ replicas, disruption }: NodePool['spec'], gates: FeatureGates): Generator<string> {
  if (replicas === undefined) return;
  if (!gates.StaticCapacity) {
    yield `spec.replicas: ${replicas} makes no nodes without the feature gate StaticCapacity, and pending pods make none either in a pool with replicas`;
    return;
  }
  const { consolidateAfter = '0s', consolidationPolicy = POLICY_DEFAULT } = disruption ?? {};
  const why = 'nodes of a pool with replicas are not consolidated';
  if (consolidateAfter !== '0s') yield `spec.disruption.consolidateAfter: ${consolidateAfter}: ${why}`;
  if (consolidationPolicy !== POLICY_DEFAULT) {
    yield `spec.disruption.consolidationPolicy: ${consolidationPolicy}: ${why}`;
  }
}

function* disruptionFields({ replicas, disruption = {} }: NodePool['spec']): Generator<string> {
  const { consolidateAfter, consolidationPolicy = POLICY_DEFAULT, budgets = [] } = disruption;
  const never = consolidateAfter === 'Never';
  const isStatic = replicas !== undefined;
  if (never && !isStatic && consolidationPolicy !== POLICY_DEFAULT) {
    yield `spec.disruption.consolidationPolicy: ${consolidationPolicy}: with consolidateAfter: Never nothing is consolidated`;
  }
  const idle = new Set<string>([
    ...(never || isStatic ? ['Empty', 'Underutilized'] : []),
    ...(consolidationPolicy === 'WhenEmpty' ? ['Underutilized'] : []),
  ]);
  for (const [at, { reasons = [] }] of budgets.entries()) {
    if (reasons.length === 0 || reasons.some((reason) => !idle.has(reason))) continue;
    yield `spec.disruption.budgets[${at}]: nodes of this pool are never disrupted for ${reasons.join(' or ')}`;
  }
}

function* otherFields({ limits = {}, template }: NodePool['spec'], gates: FeatureGates): Generator<string> {
  for (const resource of Object.keys(limits)) {
    if (!LIMITABLE.test(resource)) yield `spec.limits.${resource}: no node has a resource of that name`;
  }
  for (const { key, operator, values = [] } of template.spec.requirements) {
    if (key !== LABEL_CAPACITY_TYPE || operator !== 'In' || !values.includes(CAPACITY_TYPE_RESERVED)) continue;
    if (!gates.ReservedCapacity) {
      yield `capacity type ${CAPACITY_TYPE_RESERVED} of spec.template.spec.requirements: the feature gate ReservedCapacity is off`;
    }
  }
}
