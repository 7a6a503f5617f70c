import type { CapacityBuffer } from '../../src/apis/capacity-buffer.ts';
import { uniqueName } from './names.ts';

/** A buffer of the default namespace. */
export function capacityBuffer(spec: CapacityBuffer['spec'], name = uniqueName('buffer')): CapacityBuffer {
  return {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec,
  };
}
