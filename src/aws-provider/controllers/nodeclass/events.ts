import { nameList } from '../../../controllers/name-list.ts';
import type { Event } from '../../../events/recorder.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../apis/ec2-node-class.ts';
import { type DeniedCall, denialText } from '../../aws-api/permissions.ts';

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

/** The controller's role lacks a permission that it needs for the class. Ours: upstream has it in its log only. */
export function unauthorized(nodeClass: EC2NodeClass, denied: DeniedCall): Event {
  const message = denialText(denied);
  return {
    resource: Ec2NodeClasses,
    object: nodeClass,
    type: 'Warning',
    reason: 'Unauthorized',
    message: `${message.charAt(0).toUpperCase()}${message.slice(1)}`,
    dedupe: [nodeClass.metadata.uid ?? '', message],
  };
}
