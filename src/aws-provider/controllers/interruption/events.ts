import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { Event } from '../../../events/recorder.ts';
import type { Node } from '../../../kube/objects.ts';
import { NodeClaims, Nodes } from '../../../kube/resources.ts';
import type { MessageKind } from './message.ts';

type Words = Pick<Event, 'type' | 'reason' | 'message'>;

const UNHEALTHY: Words = {
  type: 'Warning',
  reason: 'InstanceUnhealthy',
  message: 'An unhealthy warning was triggered for the instance',
};

const WORDS: Readonly<Record<Exclude<MessageKind, 'no_op'>, Words>> = {
  spot_interrupted: {
    type: 'Warning',
    reason: 'SpotInterrupted',
    message: 'Spot interruption warning was triggered',
  },
  capacity_reservation_interrupted: {
    type: 'Warning',
    reason: 'CapacityReservationInstanceInterrupted',
    message: 'Capacity Reservation interruption warning was triggered',
  },
  rebalance_recommendation: {
    type: 'Normal',
    reason: 'SpotRebalanceRecommendation',
    message: 'Spot rebalance recommendation was triggered',
  },
  instance_stopped: { type: 'Warning', reason: 'InstanceStopping', message: 'Instance is stopping' },
  instance_terminated: { type: 'Warning', reason: 'InstanceTerminating', message: 'Instance is terminating' },
  scheduled_change: UNHEALTHY,
  instance_status: UNHEALTHY,
  system_status: UNHEALTHY,
  event_status: UNHEALTHY,
};

/** What has come of the instance, told of the claim and of its node. */
export function interrupted(kind: MessageKind, claim: NodeClaim, node: Node | undefined): readonly Event[] {
  return kind === 'no_op' ? [] : ofBoth(claim, node, () => WORDS[kind]);
}

/** The claim goes because of it. */
export const terminatingOnInterruption = (claim: NodeClaim, node: Node | undefined): readonly Event[] =>
  ofBoth(claim, node, (kind) => ({
    type: 'Warning',
    reason: 'TerminatingOnInterruption',
    message: `Interruption triggered termination for the ${kind}`,
  }));

function ofBoth(
  claim: NodeClaim,
  node: Node | undefined,
  words: (kind: 'NodeClaim' | 'Node') => Words,
): readonly Event[] {
  const ofClaim: Event = {
    ...words('NodeClaim'),
    resource: NodeClaims,
    object: claim,
    dedupe: [claim.metadata.uid ?? ''],
  };
  if (!node) return [ofClaim];
  return [ofClaim, { ...words('Node'), resource: Nodes, object: node, dedupe: [node.metadata.uid ?? ''] }];
}
