import type { NodeOverlay } from '../../src/apis/node-overlay.ts';
import { uniqueName } from './names.ts';

/** An overlay for everything, unless told for what. */
export function nodeOverlay(spec: Partial<NodeOverlay['spec']>, name = uniqueName('overlay')): NodeOverlay {
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name },
    spec: { requirements: [], ...spec },
  };
}
