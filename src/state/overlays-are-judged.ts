import { VALIDATION_SUCCEEDED } from '../apis/condition-types.ts';
import type { NodeOverlay } from '../apis/node-overlay.ts';
import type { KubeObject } from '../kube/objects.ts';

/** Whether a controller has judged any of the NodeOverlays, which it does only with its gate on. */
export function overlaysAreJudged(objects: readonly KubeObject[]): boolean {
  return objects.some((object) => {
    if (object.kind !== 'NodeOverlay') return false;
    return (object as NodeOverlay).status?.conditions?.some(({ type }) => type === VALIDATION_SUCCEEDED) ?? false;
  });
}
