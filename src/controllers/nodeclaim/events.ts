import type { NodeClaim } from '../../apis/node-claim.ts';
import type { Event } from '../../events/recorder.ts';
import { NodeClaims } from '../../kube/resources.ts';
import { truncated } from './truncated.ts';

const about = (object: NodeClaim, event: Omit<Event, 'resource' | 'object'>): Event => ({
  resource: NodeClaims,
  object,
  ...event,
});

export function insufficientCapacity(claim: NodeClaim, error: string): Event {
  return about(claim, {
    type: 'Warning',
    reason: 'InsufficientCapacityError',
    message: `NodeClaim ${claim.metadata.name} event: ${truncated(error)}`,
    dedupe: [claim.metadata.uid ?? ''],
  });
}

export function unregisteredTaintMissing(claim: NodeClaim): Event {
  return about(claim, {
    type: 'Warning',
    reason: 'UnregisteredTaintMissing',
    message:
      'Missing karpenter.sh/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes',
    dedupe: [claim.metadata.uid ?? ''],
  });
}

export function terminationGracePeriodExpiring(claim: NodeClaim, time: string): Event {
  return about(claim, {
    type: 'Warning',
    reason: 'TerminationGracePeriodExpiring',
    message: `All pods will be deleted by ${time}`,
    dedupe: [claim.metadata.name],
  });
}

export function failedConsistencyCheck(claim: NodeClaim, message: string): Event {
  return about(claim, {
    type: 'Warning',
    reason: 'FailedConsistencyCheck',
    message,
    dedupe: [claim.metadata.uid ?? '', message],
  });
}
