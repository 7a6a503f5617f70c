import type { Informers } from '../../kube/informers.ts';
import type { LabelSelector } from '../../kube/objects.ts';
import { controllerOf } from '../../kube/pods.ts';
import { ReplicaSets, ReplicationControllers, Services, StatefulSets } from '../../kube/resources.ts';
import { type LabelMatcher, labelMatcher, SelectorError } from '../../kube/selectors.ts';
import type { DefaultConstraints } from './scores.ts';
import { spreadConstraint } from './topology-spread.ts';

const ANYWAY = { whenUnsatisfiable: 'ScheduleAnyway' } as const;
const SYSTEM_DEFAULTS = [
  { ...ANYWAY, topologyKey: 'kubernetes.io/hostname', maxSkew: 3 },
  { ...ANYWAY, topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5 },
] as const;

type Selecting = { readonly spec?: { readonly selector?: unknown } };

function matcher(selector: LabelSelector): LabelMatcher | undefined {
  try {
    return labelMatcher(selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/**
 * kube-scheduler's defaults: pods of one service, ReplicaSet, StatefulSet or ReplicationController are spread over hosts
 * and zones, softly.
 */
export function defaultConstraints(informers: Informers): DefaultConstraints {
  const services = informers.reader(Services);
  const owners = {
    ReplicaSet: informers.reader(ReplicaSets),
    StatefulSet: informers.reader(StatefulSets),
    ReplicationController: informers.reader(ReplicationControllers),
  };
  return (pod) => {
    const selectors: LabelMatcher[] = [];
    for (const service of services.list(pod.namespace)) {
      const matchLabels = (service as Selecting).spec?.selector as Readonly<Record<string, string>> | undefined;
      if (matchLabels === undefined || Object.keys(matchLabels).length === 0) continue;
      const matches = matcher({ matchLabels });
      if (matches?.(pod.labels)) selectors.push(matches);
    }
    const owner = controllerOf(pod.pod);
    const reader = owner === undefined ? undefined : owners[owner.kind as keyof typeof owners];
    const controller = reader?.get(`${pod.namespace}/${owner?.name}`) as Selecting | undefined;
    if (controller?.spec?.selector !== undefined) {
      const selector = controller.spec.selector as LabelSelector;
      // A ReplicationController's selector is plain labels.
      const matches = matcher(
        owner?.kind === 'ReplicationController'
          ? { matchLabels: selector as Readonly<Record<string, string>> }
          : selector,
      );
      if (matches !== undefined) selectors.push(matches);
    }
    if (selectors.length === 0) return [];
    return SYSTEM_DEFAULTS.map((constraint) =>
      spreadConstraint(pod, constraint, (labels) => selectors.every((matches) => matches(labels))),
    );
  };
}
