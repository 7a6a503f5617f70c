import type { KubeObject, LabelSelector, Pod } from '../kube/objects.ts';
import { lenientMatcher } from '../kube/selectors.ts';

/** A Deployment, StatefulSet, DaemonSet, ReplicaSet or Job. */
export type Workload = KubeObject & { readonly spec?: { readonly selector?: LabelSelector } };

/** The pods that a workload's selector finds in its namespace; without a selector none. */
export function podsOfWorkload({ metadata, spec }: Workload, pods: readonly Pod[]): readonly Pod[] {
  const isSelected = lenientMatcher(spec?.selector);
  const namespace = metadata.namespace ?? 'default';
  return pods.filter((pod) => (pod.metadata.namespace ?? 'default') === namespace && isSelected(pod.metadata.labels));
}
