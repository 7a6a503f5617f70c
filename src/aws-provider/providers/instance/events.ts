import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { Event } from '../../../events/recorder.ts';
import { NodeClaims } from '../../../kube/resources.ts';
import { SERVICE_LINKED_ROLE_CODE } from './fleet-errors.ts';

export function spotRoleMissing(claim: NodeClaim): Event {
  return {
    resource: NodeClaims,
    object: claim,
    type: 'Warning',
    reason: '',
    message: `Attempted to launch a spot instance but failed due to "${SERVICE_LINKED_ROLE_CODE}"`,
    dedupe: [claim.metadata.uid ?? ''],
  };
}
