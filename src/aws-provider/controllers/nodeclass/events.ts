import { nameList } from '../../../controllers/name-list.ts';
import type { Event } from '../../../events/recorder.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../apis/ec2-node-class.ts';

const SHOWN = 5;

/** The class is to go, but claims still use it (aws-provider.md section 6). */
export function waitingOnNodeClaimTermination(nodeClass: EC2NodeClass, claims: readonly string[]): Event {
  return {
    resource: Ec2NodeClasses,
    object: nodeClass,
    type: 'Normal',
    reason: 'WaitingOnNodeClaimTermination',
    message: `Waiting on NodeClaim termination for ${nameList(claims, SHOWN)}`,
    dedupe: [nodeClass.metadata.uid ?? ''],
  };
}
