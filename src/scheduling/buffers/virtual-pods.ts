import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import type { Pod, PodTemplateSpec } from '../../kube/objects.ts';

/** Marks a pod that exists only in here. */
const VIRTUAL = 'karpenter.sh/capacity-buffer-fake-pod';
const BUFFER_NAME = 'karpenter.sh/capacity-buffer-name';
const BUFFER_NAMESPACE = 'karpenter.sh/capacity-buffer-namespace';
/** Every real pod comes first. */
const PRIORITY = -(2 ** 31);

/**
 * The pods whose room a buffer keeps free: they wait for a node like any other, but the API has never heard of them
 * (karpenter-core.md 3.11.4). Volumes that need a claim are left out, as there will be none. Unlike upstream's they count as
 * Pending, so that they may be put on nodes that are still inside consolidateAfter.
 *
 * @param replicas how many.
 * @param created RFC 3339; since when they wait.
 */
export function virtualPods(
  buffer: CapacityBuffer,
  template: PodTemplateSpec,
  replicas: number,
  created: string,
): readonly Pod[] {
  const { name, namespace = '', uid = '' } = buffer.metadata;
  const { nodeName: _, volumes, ...rest } = template.spec;
  const kept = volumes?.filter((volume) => !volume.persistentVolumeClaim && !volume.ephemeral);
  const spec = { ...rest, ...(kept ? { volumes: kept } : {}), priority: PRIORITY };
  return Array.from({ length: replicas }, (__, i) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `capacity-buffer-${name}-${i + 1}`,
      namespace,
      uid: `${uid}-${i + 1}`,
      labels: template.metadata?.labels ?? {},
      annotations: { [VIRTUAL]: 'true', [BUFFER_NAME]: name, [BUFFER_NAMESPACE]: namespace },
      creationTimestamp: created,
    },
    spec,
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
  }));
}

export const isVirtualPod = (pod: Pod): boolean => pod.metadata.annotations?.[VIRTUAL] === 'true';

/** `namespace/name` of the buffer that a virtual pod belongs to; undefined for real pods. */
export function bufferOf(pod: Pod): string | undefined {
  const { annotations = {} } = pod.metadata;
  return isVirtualPod(pod) ? `${annotations[BUFFER_NAMESPACE]}/${annotations[BUFFER_NAME]}` : undefined;
}
