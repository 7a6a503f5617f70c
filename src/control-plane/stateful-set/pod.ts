import type { PersistentVolumeClaim, Pod, PodTemplateSpec, StatefulSet } from '../../kube/objects.ts';
import { podFromTemplate } from '../pod-from-template.ts';
import { REVISION_HASH } from '../revisions/plan.ts';

export const STATEFUL_SET_KIND = { group: 'apps', version: 'v1', kind: 'StatefulSet' };

function podName(set: StatefulSet, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

/** The ordinal in a pod's name; undefined when the name isn't of this set. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const text = pod.metadata.name.startsWith(prefix) ? pod.metadata.name.slice(prefix.length) : '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

export function claimName(template: PersistentVolumeClaim, set: StatefulSet, ordinal: number): string {
  return `${template.metadata.name}-${podName(set, ordinal)}`;
}

/** The pod of one ordinal at one revision, with its own claims mounted in place of the templates. */
export function statefulPod(set: StatefulSet, template: PodTemplateSpec, ordinal: number, revision: string): Pod {
  const name = podName(set, ordinal);
  const claims = set.spec.volumeClaimTemplates ?? [];
  const templateNames = new Set(claims.map((claim) => claim.metadata.name));
  const volumes = [
    ...claims.map((claim) => ({
      name: claim.metadata.name,
      persistentVolumeClaim: { claimName: claimName(claim, set, ordinal), readOnly: false },
    })),
    ...(template.spec.volumes ?? []).filter((volume) => !templateNames.has(volume.name)),
  ];
  const labels = {
    ...template.metadata?.labels,
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
    [REVISION_HASH]: revision,
  };
  const identity = { hostname: name, ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}) };
  const spec = { ...template.spec, ...identity, ...(volumes.length > 0 ? { volumes } : {}) };
  return podFromTemplate(
    set,
    STATEFUL_SET_KIND,
    { ...template, metadata: { ...template.metadata, labels }, spec },
    { name },
  );
}

/** The claims that the pod of an ordinal needs. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(template, set, ordinal),
      namespace: set.metadata.namespace,
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
      annotations: template.metadata.annotations,
    },
    status: undefined,
  }));
}
