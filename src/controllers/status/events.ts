import type { Event } from '../../events/recorder.ts';
import type { Resource } from '../../kube/client.ts';
import type { Condition, KubeObject } from '../../kube/objects.ts';

/** A condition has got another status (karpenter-core.md 12.2.2); told every time. */
export function transitioned(resource: Resource, object: KubeObject, old: string, condition: Condition): Event {
  const { type, status, reason = '', message } = condition;
  const text = message ? `, Message: ${message}` : '';
  return {
    resource,
    object,
    type: 'Normal',
    reason: type,
    message: `Status condition transitioned, Type: ${type}, Status: ${old} -> ${status}, Reason: ${reason}${text}`,
  };
}

/** What one finalizer stands for has been done. */
export function finalized(resource: Resource, object: KubeObject, finalizer: string): Event {
  return { resource, object, type: 'Normal', reason: 'Finalized', message: `Finalized ${finalizer}` };
}
