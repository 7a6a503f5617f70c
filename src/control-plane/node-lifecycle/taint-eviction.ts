import type { Pod, Taint } from '../../kube/objects.ts';
import { tolerates } from '../../kube/taints.ts';

/**
 * When a pod must leave a node with these NoExecute taints, in epoch milliseconds: at once (0) if it does not tolerate all
 * of them, when its shortest tolerationSeconds since the taint (or, if later, the pod) came is over, or never (undefined).
 */
export function evictionTime(pod: Pod, taints: readonly Taint[]): number | undefined {
  const tolerations = pod.spec.tolerations ?? [];
  const used = taints.map((taint) => tolerations.filter((toleration) => tolerates(toleration, taint)));
  if (used.some((matching) => matching.length === 0)) return 0;
  const seconds = used
    .flat()
    .flatMap(({ tolerationSeconds }) => (tolerationSeconds === undefined ? [] : [tolerationSeconds]));
  if (seconds.length === 0) return undefined;
  const times = [...taints.map(({ timeAdded }) => timeAdded), pod.metadata.creationTimestamp];
  const since = Math.max(...times.map((time) => (time === undefined ? 0 : Date.parse(time))));
  const shortest = Math.min(...seconds);
  return shortest <= 0 ? 0 : since + shortest * 1000;
}

export function noExecuteTaints(taints: readonly Taint[] | undefined): readonly Taint[] {
  return (taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}
