import {
  CAPACITY_TYPE_ON_DEMAND,
  CAPACITY_TYPE_RESERVED,
  CAPACITY_TYPE_SPOT,
  LABEL_CAPACITY_TYPE,
  LABEL_INSTANCE_TYPE,
} from '../../apis/labels.ts';
import type { Command } from '../../disruption/types.ts';
import type { LogFields } from '../../logging/logger.ts';
import { isReschedulable } from '../../scheduling/pod-lifecycle.ts';
import { nodeLabels } from '../../scheduling/state-node.ts';
import type { PlannedNodeClaim } from '../../scheduling/types.ts';
import type { Cluster } from '../../state/cluster.ts';
import { listedTypes } from '../provisioning/listed-types.ts';

/** What a decision comes to, for the log: which nodes go, with how many pods, and what comes in their place. */
export function decisionFields(command: Command, cluster: Pick<Cluster, 'podsOn'>): LogFields {
  const { candidates, replacements, decision, reason } = command;
  const pods = candidates.flatMap(({ node }) => (node ? cluster.podsOn(node.metadata.name) : []));
  return {
    decision,
    reason: reason.toLowerCase(),
    'disrupted-node-count': candidates.length,
    'replacement-node-count': replacements.length,
    'pod-count': pods.filter(isReschedulable).length,
    'disrupted-nodes': candidates.map((candidate) => ({
      Node: { name: candidate.node?.metadata.name },
      NodeClaim: { name: candidate.nodeClaim?.metadata.name },
      'instance-type': nodeLabels(candidate)[LABEL_INSTANCE_TYPE],
      'capacity-type': nodeLabels(candidate)[LABEL_CAPACITY_TYPE],
    })),
    'replacement-nodes': replacements.map((claim) => ({
      'capacity-type': capacityTypeOf(claim),
      ...(replacements.length === 1
        ? { 'instance-types': listedTypes(claim.instanceTypes.map(({ name }) => name)) }
        : {}),
    })),
  };
}

/** The one that a launch would try first. */
function capacityTypeOf({ requirements }: PlannedNodeClaim): string {
  const allowed = requirements.get(LABEL_CAPACITY_TYPE);
  return [CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_SPOT].find((type) => allowed.has(type)) ?? CAPACITY_TYPE_ON_DEMAND;
}
