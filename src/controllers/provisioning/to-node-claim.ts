import { parseDuration } from '../../apis/duration.ts';
import { formatDuration } from '../../apis/format-duration.ts';
import {
  ANNOTATION_NODEPOOL_HASH,
  ANNOTATION_NODEPOOL_HASH_VERSION,
  LABEL_CAPACITY_TYPE,
  LABEL_HOSTNAME,
  LABEL_INITIALIZED,
  LABEL_INSTANCE_TYPE,
  LABEL_NODEPOOL,
  LABEL_REGISTERED,
  WELL_KNOWN_LABELS,
} from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { NODEPOOL_HASH_VERSION, nodePoolHash } from '../../apis/nodepool-hash.ts';
import type { Random } from '../../kube/clock.ts';
import { apiVersionOf, NodeClaims, NodePools } from '../../kube/resources.ts';
import { Requirement } from '../../scheduling/requirement.ts';
import { Requirements } from '../../scheduling/requirements.ts';
import { toResourceList } from '../../scheduling/resource-list.ts';
import type { Resources } from '../../scheduling/resources.ts';
import type { PlannedNodeClaim } from '../../scheduling/types.ts';
import { nodeClassLabel } from '../managed.ts';

/** As much of generateName as the API keeps (k8s.io/apiserver/pkg/storage/names). */
const GENERATED_NAME_BASE = 58;

/** Keys that only serve the packing: every node gets them by itself. */
const SIMULATED: readonly string[] = [LABEL_REGISTERED, LABEL_INITIALIZED, LABEL_HOSTNAME];

export interface ToNodeClaimContext {
  /** Beyond the built-in ones; the provider's. */
  readonly wellKnownLabels: ReadonlySet<string>;
  /** Milliseconds; for pools that say nothing. */
  readonly defaultTerminationGracePeriodMs?: number | undefined;
  /** Picks values for labels that only have to be something. */
  readonly random: Pick<Random, 'next' | 'suffix'>;
}

/** The claim that a plan asks for, ready to be created (karpenter-core.md 4.7, 3.10). */
export function toNodeClaim(planned: PlannedNodeClaim, context: ToNodeClaimContext): NodeClaim {
  const requirements = planned.requirements.copy();
  const names = planned.instanceTypes.map(({ name }) => name);
  const { minValues } = requirements.get(LABEL_INSTANCE_TYPE);
  requirements.add(Requirement.of(LABEL_INSTANCE_TYPE, 'In', names, minValues));
  const capacityTypes = new Set<string>();
  for (const type of planned.instanceTypes) {
    for (const offering of type.offerings) {
      if (!offering.available || !requirements.intersects(offering.requirements)) continue;
      capacityTypes.add(offering.requirements.get(LABEL_CAPACITY_TYPE).any());
    }
  }
  if (capacityTypes.size > 0) requirements.add(Requirement.of(LABEL_CAPACITY_TYPE, 'In', capacityTypes));
  return claimOf(planned.nodePool, requirements, planned.annotations, planned.requests, context);
}

/** A claim of a static pool: the provider chooses the type. */
export function staticNodeClaim(nodePool: NodePool, context: ToNodeClaimContext): NodeClaim {
  const { metadata, spec } = nodePool.spec.template;
  const requirements = Requirements.fromItems(spec.requirements);
  requirements.addAll(Requirements.fromLabels({ ...metadata?.labels, ...ownLabels(nodePool) }));
  return claimOf(nodePool, requirements, metadata?.annotations ?? {}, undefined, context);
}

function ownLabels(nodePool: NodePool): Record<string, string> {
  const { nodeClassRef } = nodePool.spec.template.spec;
  return { [LABEL_NODEPOOL]: nodePool.metadata.name, [nodeClassLabel(nodeClassRef)]: nodeClassRef.name };
}

function claimOf(
  nodePool: NodePool,
  requirements: Requirements,
  annotations: Readonly<Record<string, string>>,
  requests: Resources | undefined,
  context: ToNodeClaimContext,
): NodeClaim {
  for (const key of SIMULATED) requirements.delete(key);
  const { metadata, spec } = nodePool.spec.template;
  const labels = { ...metadata?.labels, ...ownLabels(nodePool), ...customLabels(requirements, context) };
  const generateName = `${nodePool.metadata.name}-`;
  const grace = parseDuration(spec.terminationGracePeriod ?? '') ?? context.defaultTerminationGracePeriodMs;
  return {
    apiVersion: apiVersionOf(NodeClaims),
    kind: NodeClaims.kind,
    metadata: {
      // Named here as the API would, so that repeating a request that was answered too late makes no second claim.
      name: `${generateName.slice(0, GENERATED_NAME_BASE)}${context.random.suffix(5)}`,
      generateName,
      labels,
      annotations: {
        ...annotations,
        [ANNOTATION_NODEPOOL_HASH]: nodePoolHash(nodePool),
        [ANNOTATION_NODEPOOL_HASH_VERSION]: NODEPOOL_HASH_VERSION,
      },
      ownerReferences: [
        {
          apiVersion: apiVersionOf(NodePools),
          kind: NodePools.kind,
          name: nodePool.metadata.name,
          uid: nodePool.metadata.uid ?? '',
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      ...spec,
      ...(grace === undefined ? {} : { terminationGracePeriod: formatDuration(grace) }),
      requirements: requirements.toItems(),
      resources: requests ? { requests: toResourceList(requests) } : {},
    },
  };
}

/** Requirements on labels that no provider knows become labels, with a value that meets them. */
function customLabels(requirements: Requirements, { wellKnownLabels, random }: ToNodeClaimContext) {
  const labels: Record<string, string> = {};
  for (const requirement of requirements) {
    if (WELL_KNOWN_LABELS.has(requirement.key) || wellKnownLabels.has(requirement.key)) continue;
    const value = requirement.any(random.next());
    if (value !== '') labels[requirement.key] = value;
  }
  return labels;
}
