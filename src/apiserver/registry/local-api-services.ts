import { timestamp } from '../json.ts';
import type { JsonObject } from '../kind.ts';

/** How much clients prefer a group, and a version of it: kube-apiserver's own numbers (pkg/controlplane/apiserver). */
const priorities: Readonly<Record<string, number>> = {
  '': 18_000,
  'apiregistration.k8s.io': 0,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'apiextensions.k8s.io': 16_700,
  'admissionregistration.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
  'resource.k8s.io': 16_000,
};

export interface LocalVersion {
  readonly group: string;
  readonly version: string;
}

export const apiServiceName = ({ group, version }: LocalVersion): string => `${version}.${group}`;

/** The condition of an API that this server serves itself. */
export const localCondition = (now: number): JsonObject => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime: timestamp(now),
  reason: 'Local',
  message: 'Local APIServices are always available',
});

/** The APIService of a version that this server serves itself, as its aggregator would write it. */
export function localApiService({ group, version }: LocalVersion, custom: boolean, now: number): JsonObject {
  const versionPriority = group === '' ? 1 : group === 'autoscaling' && version === 'v2' ? 30 : 15;
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {
      name: apiServiceName({ group, version }),
      labels: { 'kube-aggregator.kubernetes.io/automanaged': custom ? 'true' : 'onstart' },
    },
    spec: {
      ...(group ? { group } : {}),
      version,
      groupPriorityMinimum: custom ? 1000 : (priorities[group] ?? 1000),
      versionPriority: custom ? 100 : versionPriority,
    },
    status: { conditions: [localCondition(now)] },
  };
}
