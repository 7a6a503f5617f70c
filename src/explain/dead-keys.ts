import { LABEL_HOSTNAME } from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';
import { nodeLabels } from '../scheduling/state-node.ts';
import type { PoolAndTypes, World } from '../scheduling/types.ts';

/** Rules of the pod about a label that no node has and no pool gives: what keeps apart does nothing, the others never hold. */
export function deadKeyWarnings({ spec }: Pod, world: World): readonly string[] {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const keysOf = (rules: typeof podAffinity): readonly string[] =>
    (rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(({ topologyKey }) => topologyKey);
  const hard = (spec.topologySpreadConstraints ?? []).filter((c) => c.whenUnsatisfiable !== 'ScheduleAnyway');
  const isDead = (key: string): boolean =>
    key !== LABEL_HOSTNAME &&
    !world.nodes.some((node) => nodeLabels(node)[key] !== undefined) &&
    !world.pools.some((pool) => gives(pool, key));
  const warn = (rule: string, keys: readonly string[], effect: string): readonly string[] =>
    [...new Set(keys)].filter(isDead).map((key) => `${rule} is about ${key}, which no node has: ${effect}`);
  return [
    ...warn('its anti-affinity', keysOf(podAntiAffinity), 'it keeps nothing apart'),
    ...warn('its affinity', keysOf(podAffinity), 'it can not be met'),
    ...warn(
      'its spread',
      hard.map(({ topologyKey }) => topologyKey),
      'it can not be met',
    ),
  ];
}

function gives({ nodePool, instanceTypes }: PoolAndTypes, key: string): boolean {
  const { metadata, spec } = nodePool.spec.template;
  return (
    metadata?.labels?.[key] !== undefined ||
    spec.requirements.some((requirement) => requirement.key === key && requirement.operator !== 'DoesNotExist') ||
    instanceTypes.some(({ requirements, offerings }) =>
      [requirements, ...offerings.map((offering) => offering.requirements)].some((r) => r.find(key) !== undefined),
    )
  );
}
