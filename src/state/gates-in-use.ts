import { READY_FOR_PROVISIONING } from '../apis/capacity-buffer.ts';
import { VALIDATION_SUCCEEDED } from '../apis/condition-types.ts';
import type { Conditioned } from '../apis/conditions.ts';
import type { KubeObject } from '../kube/objects.ts';

/** Whether a controller has judged any object of the kind, which it does only with the kind's gate on. */
function isJudged(objects: readonly KubeObject[], kind: string, condition: string): boolean {
  return objects.some(
    (object) => object.kind === kind && (object as Conditioned).status?.conditions?.some((c) => c.type === condition),
  );
}

/** The gates that the cluster's controller has on, as far as its objects tell. */
export function gatesInUse(objects: readonly KubeObject[]) {
  return {
    NodeOverlay: isJudged(objects, 'NodeOverlay', VALIDATION_SUCCEEDED),
    CapacityBuffer: isJudged(objects, 'CapacityBuffer', READY_FOR_PROVISIONING),
  };
}
