/** What a planned NodeClaim turns into, as far as a frozen world can tell. */
import {
  ANNOTATION_NODEPOOL_HASH,
  ANNOTATION_NODEPOOL_HASH_VERSION,
  LABEL_HOSTNAME,
  LABEL_INITIALIZED,
  LABEL_INSTANCE_TYPE,
  LABEL_REGISTERED,
} from '../apis/labels.ts';
import { NODEPOOL_HASH_VERSION, nodePoolHash } from '../apis/nodepool-hash.ts';
import { allocatable } from '../scheduling/instance-offerings.ts';
import type { InstanceType, Offering } from '../scheduling/instance-type.ts';
import type { Requirements } from '../scheduling/requirements.ts';
import { addResources, toResourceList } from '../scheduling/resource-list.ts';
import type { PlannedNodeClaim, StateNode } from '../scheduling/types.ts';

export interface Launch {
  readonly instanceType: InstanceType;
  readonly offering: Offering;
}

/**
 * The cheapest offering on sale among the claim's types, the earlier type and offering between equals; undefined when
 * nothing is on sale. A claim without types (of a static pool) may be any of `all`.
 */
export function cheapestLaunch(claim: PlannedNodeClaim, all: readonly InstanceType[]): Launch | undefined {
  let best: Launch | undefined;
  for (const instanceType of claim.instanceTypes.length > 0 ? claim.instanceTypes : all) {
    if (!instanceType.requirements.intersects(claim.requirements)) continue;
    for (const offering of instanceType.offerings) {
      if (!offering.available || !offering.requirements.intersects(claim.requirements)) continue;
      if (!best || offering.price < best.offering.price) best = { instanceType, offering };
    }
  }
  return best;
}

/**
 * The claim and its node under one name, initialized and ready. Since when is left open: what asks how long ago something
 * happened takes that for long ago.
 */
export function launchedNode(claim: PlannedNodeClaim, { instanceType, offering }: Launch, name: string): StateNode {
  const { nodePool } = claim;
  const { metadata, spec } = nodePool.spec.template;
  const providerID = `planned://${name}`;
  const size = {
    capacity: toResourceList(addResources(instanceType.capacity, offering.capacityOverride ?? {})),
    allocatable: toResourceList(allocatable(instanceType, offering)),
  };
  const common = {
    name,
    uid: name,
    labels: {
      ...metadata?.labels,
      ...labelsOf(claim.requirements, [instanceType.requirements, offering.requirements]),
      [LABEL_INSTANCE_TYPE]: instanceType.name,
      [LABEL_REGISTERED]: 'true',
      [LABEL_INITIALIZED]: 'true',
      [LABEL_HOSTNAME]: name,
    },
    annotations: {
      ...metadata?.annotations,
      ...claim.annotations,
      [ANNOTATION_NODEPOOL_HASH]: nodePoolHash(nodePool),
      [ANNOTATION_NODEPOOL_HASH_VERSION]: NODEPOOL_HASH_VERSION,
    },
  };
  const conditions = ['Launched', 'Registered', 'Initialized', 'Ready', 'Consolidatable'];
  return {
    nodeClaim: {
      metadata: common,
      spec: { ...spec, requirements: claim.requirements.toItems() },
      status: { ...size, providerID, nodeName: name, conditions: conditions.map((type) => ({ type, status: 'True' })) },
    },
    node: {
      metadata: common,
      spec: { providerID, ...(spec.taints ? { taints: spec.taints } : {}) },
      status: { ...size, conditions: [{ type: 'Ready', status: 'True' }] },
    },
    markedForDeletion: false,
  };
}

/** What the type and the offering say of themselves; for every other key a value that the claim allows. */
function labelsOf(claim: Requirements, sold: readonly Requirements[]): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const requirement of claim) {
    const value = sold.some((requirements) => requirements.has(requirement.key)) ? '' : requirement.any();
    if (value !== '') labels[requirement.key] = value;
  }
  for (const requirements of sold) {
    for (const { key, operator, values } of requirements) {
      const [value, ...more] = values;
      if (operator === 'In' && value !== undefined && more.length === 0) labels[key] = value;
    }
  }
  return labels;
}
