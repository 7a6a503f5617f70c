import { type CapacityBuffer, isActiveBuffer } from '../apis/capacity-buffer.ts';
import type { KubeObject, Pod, PodTemplate, PodTemplateSpec } from '../kube/objects.ts';
import { bufferReplicas } from '../scheduling/buffers/buffer-replicas.ts';
import { virtualPods } from '../scheduling/buffers/virtual-pods.ts';

interface Workload extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly template?: PodTemplateSpec };
}

/**
 * The pods that the CapacityBuffers among the objects stand for, by what is among the objects: a buffer whose template is not
 * there has none. Sizes are worked out anew, since what a controller wrote may be of another time.
 *
 * @param created RFC 3339; since when they wait.
 */
export function virtualPodsFromObjects(objects: readonly KubeObject[], created: string): readonly Pod[] {
  const find = <T extends KubeObject>(kind: string, name: string, namespace: string | undefined): T | undefined =>
    objects.find(({ kind: k, metadata }) => k === kind && metadata.name === name && metadata.namespace === namespace) as
      | T
      | undefined;
  const buffers = objects.filter(({ kind }) => kind === 'CapacityBuffer') as readonly KubeObject[];
  return (buffers as readonly CapacityBuffer[]).filter(isActiveBuffer).flatMap((buffer) => {
    const { podTemplateRef, scalableRef } = buffer.spec;
    const { namespace } = buffer.metadata;
    const podTemplate = podTemplateRef && find<PodTemplate>('PodTemplate', podTemplateRef.name, namespace);
    const workload = scalableRef && find<Workload>(scalableRef.kind, scalableRef.name, namespace);
    const template = podTemplate?.template ?? workload?.spec.template;
    if (!template) return [];
    const replicas = bufferReplicas(buffer.spec, template.spec, workload && (workload.spec.replicas ?? 1));
    return virtualPods(buffer, template, replicas, created);
  });
}
