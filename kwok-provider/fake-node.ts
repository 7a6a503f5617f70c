import { LABEL_HOSTNAME, LABEL_INSTANCE_TYPE, TAINT_UNREGISTERED } from '../src/apis/labels.ts';
import type { NodeClaim } from '../src/apis/node-claim.ts';
import { claimOwner } from '../src/cloudprovider/claim-owner.ts';
import type { Node } from '../src/kube/objects.ts';
import { allocatable } from '../src/scheduling/instance-offerings.ts';
import type { Requirements } from '../src/scheduling/requirements.ts';
import { toResourceList } from '../src/scheduling/resource-list.ts';
import { KWOK_NODE_KEY, KWOK_NODE_VALUE, LABEL_KWOK_PARTITION, LABEL_NODE_VIEWER_PRICE } from './apis/labels.ts';
import type { Choice } from './choose-offering.ts';
import { nodeName } from './node-name.ts';

export const PROVIDER_ID_PREFIX = 'kwok://';
/** Real kwok controllers share nodes by partition; one is enough. */
const PARTITION = 'a';

function singleValues(requirements: Requirements): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const requirement of requirements) {
    const [value, ...more] = requirement.values;
    if (requirement.operator === 'In' && value !== undefined && more.length === 0) labels[requirement.key] = value;
  }
  return labels;
}

function claimLabels(claim: NodeClaim): Record<string, string> {
  const labels: Record<string, string> = { ...claim.metadata.labels };
  for (const { key, operator, values = [] } of claim.spec.requirements) {
    const [value, ...more] = values;
    if (operator === 'In' && value !== undefined && more.length === 0) labels[key] = value;
  }
  return labels;
}

/**
 * The Node that a launched claim turns into (karpenter-core.md 13.2.3). Unlike upstream's, it has the whole capacity of its
 * type, not only what the claim requests, so that limits and reports count what was bought; and it is the claim's from the
 * first: when the claim goes before its controller has heard of the launch, nobody else would end the instance.
 */
export function fakeNode(claim: NodeClaim, { instanceType, offering }: Choice): Node {
  const name = nodeName(claim);
  const requests = claim.spec.resources?.requests;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        ...claimLabels(claim),
        [LABEL_INSTANCE_TYPE]: instanceType.name,
        ...singleValues(instanceType.requirements),
        ...singleValues(offering.requirements),
        [LABEL_NODE_VIEWER_PRICE]: offering.price.toFixed(6),
        [LABEL_KWOK_PARTITION]: PARTITION,
        [LABEL_HOSTNAME]: claim.metadata.name,
        [KWOK_NODE_KEY]: KWOK_NODE_VALUE,
      },
      annotations: { ...claim.metadata.annotations, [KWOK_NODE_KEY]: KWOK_NODE_VALUE },
      ownerReferences: [claimOwner(claim)],
    },
    spec: { providerID: `${PROVIDER_ID_PREFIX}${name}`, taints: [TAINT_UNREGISTERED] },
    status: {
      capacity: { ...requests, ...toResourceList(instanceType.capacity) },
      allocatable: { ...requests, ...toResourceList(allocatable(instanceType)) },
      phase: 'Pending',
    },
  };
}

/** The Node that a claim whose launch was interrupted turns into: what was bought stands on the claim. */
export function launchedNode(claim: NodeClaim): Node {
  const { metadata, status } = claim;
  const { providerID = '', capacity, allocatable: left } = status ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: providerID.slice(PROVIDER_ID_PREFIX.length),
      labels: metadata.labels,
      annotations: metadata.annotations,
      ownerReferences: [claimOwner(claim)],
    },
    spec: { providerID, taints: [TAINT_UNREGISTERED] },
    status: { capacity, allocatable: left, phase: 'Pending' },
  };
}

/** A node, or the instance behind one, as the provider contract describes it. */
export function toNodeClaim(node: Node): NodeClaim {
  const { name, labels, annotations, creationTimestamp, deletionTimestamp } = node.metadata;
  return {
    metadata: {
      name,
      labels,
      annotations,
      ...(creationTimestamp ? { creationTimestamp } : {}),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
    },
    spec: { requirements: [], nodeClassRef: { group: '', kind: '', name: '' } },
    status: {
      nodeName: name,
      providerID: node.spec.providerID,
      capacity: node.status?.capacity,
      allocatable: node.status?.allocatable,
    },
  };
}
