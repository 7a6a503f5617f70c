import type { CapacityBuffer, ScalableRef } from '../../apis/capacity-buffer.ts';
import type { Client, Resource } from '../../kube/client.ts';
import type { KubeObject, PodTemplateSpec } from '../../kube/objects.ts';
import { Deployments, PodTemplates, ReplicaSets, StatefulSets } from '../../kube/resources.ts';

/** What one pod of a buffer looks like, and where that is written. */
export interface ResolvedTemplate {
  readonly template: PodTemplateSpec;
  /** When it comes from a PodTemplate. */
  readonly podTemplate?: { readonly name: string; readonly generation: number };
  /** When it comes from a workload. */
  readonly scalableReplicas?: number;
}

/** The buffer refers to something that has no pods that could be known. */
export class UnsupportedReferenceError extends Error {
  override readonly name = 'UnsupportedReferenceError';
}

interface Workload extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly template?: PodTemplateSpec };
}

const WORKLOADS: readonly Resource<Workload>[] = [Deployments, StatefulSets, ReplicaSets];
const NOTHING: PodTemplateSpec = { spec: { containers: [] } };

/**
 * Reads what the buffer refers to (karpenter-core.md 3.11.1).
 *
 * @throws {UnsupportedReferenceError}
 * @throws {ApiError} not found, for example.
 */
export async function resolveTemplate(
  client: Pick<Client, 'get'>,
  { metadata, spec }: CapacityBuffer,
  signal: AbortSignal,
): Promise<ResolvedTemplate> {
  const { namespace = '' } = metadata;
  if (spec.podTemplateRef) {
    const found = await client.get(PodTemplates, { name: spec.podTemplateRef.name, namespace }, signal);
    const { name, generation = 0 } = found.metadata;
    return { template: found.template ?? NOTHING, podTemplate: { name, generation } };
  }
  if (!spec.scalableRef) throw new UnsupportedReferenceError('Neither podTemplateRef nor scalableRef is set');
  const resource = workloadOf(spec.scalableRef);
  const { replicas = 1, template = NOTHING } = (
    await client.get(resource, { name: spec.scalableRef.name, namespace }, signal)
  ).spec;
  return { template, scalableReplicas: replicas };
}

function workloadOf({ apiGroup, kind }: ScalableRef): Resource<Workload> {
  const group = apiGroup || 'apps';
  if (group !== 'apps') throw new UnsupportedReferenceError(`unsupported scalableRef API group "${apiGroup}"`);
  const resource = WORKLOADS.find((workload) => workload.kind === kind);
  if (!resource) throw new UnsupportedReferenceError(`unsupported kind "${kind}"`);
  return resource;
}
