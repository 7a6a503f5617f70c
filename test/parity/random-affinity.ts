import type {
  Affinity,
  LabelSelector,
  NodeSelectorTerm,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '../../src/kube/objects.ts';
import { RACK, randomExpression } from './random-requirements.ts';
import { APPS, type Making } from './random-world.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
/** Keys that rules about other pods may be about; the last is on no node. */
const ODD_KEYS = ['kubernetes.io/arch', 'karpenter.sh/nodepool', RACK, 'team', 'example.com/nowhere'];

type Labels = Readonly<Record<string, string>>;

function randomTerm(making: Making): NodeSelectorTerm {
  const count = making.choices.integer(1, 2);
  return { matchExpressions: Array.from({ length: count }, () => randomExpression(making, 'pod')) };
}

/** Rules about nodes and about other pods. */
export function randomAffinity(making: Making, labels: Labels): Affinity | undefined {
  const { choices, maybe } = making;
  const affinity: { -readonly [K in keyof Affinity]: Affinity[K] } = {};
  const terms = (): NodeSelectorTerm[] =>
    Array.from({ length: maybe(0.4, 'alternative terms') ? choices.integer(2, 3) : 1 }, () => randomTerm(making));
  const required = maybe(0.2, 'required node affinity') ? { nodeSelectorTerms: terms() } : undefined;
  const preferred = maybe(0.15, 'preferred node affinity', 'mixed')
    ? Array.from({ length: choices.integer(1, 3) }, () => ({
        weight: choices.integer(1, 3) * 10,
        preference: randomTerm(making),
      }))
    : undefined;
  if (required || preferred) {
    affinity.nodeAffinity = {
      ...(required ? { requiredDuringSchedulingIgnoredDuringExecution: required } : {}),
      ...(preferred ? { preferredDuringSchedulingIgnoredDuringExecution: preferred } : {}),
    };
  }
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    if (!maybe(0.12, kind === 'podAffinity' ? 'pod affinity' : 'pod anti-affinity', 'mixed')) continue;
    const name = kind === 'podAffinity' ? 'affinity' : 'anti-affinity';
    const isPreferred = maybe(0.45, `preferred pod ${name}`, 'mixed');
    const isRequired = !isPreferred || maybe(0.2, `required and preferred pod ${name}`, 'mixed');
    const several = () => (maybe(0.25, `several pod ${name} terms`, 'mixed') ? 2 : 1);
    const podTerms = () => Array.from({ length: several() }, () => randomPodTerm(making, labels));
    affinity[kind] = {
      ...(isRequired ? { requiredDuringSchedulingIgnoredDuringExecution: podTerms() } : {}),
      ...(isPreferred
        ? {
            preferredDuringSchedulingIgnoredDuringExecution: podTerms().map((podAffinityTerm) => ({
              weight: choices.integer(1, 3) * 10,
              podAffinityTerm,
            })),
          }
        : {}),
    };
  }
  return Object.keys(affinity).length > 0 ? affinity : undefined;
}

function randomSelector(making: Making, labels: Labels): LabelSelector | undefined {
  const { choices, maybe } = making;
  if (maybe(0.03, 'selector missing', 'mixed')) return undefined;
  if (maybe(0.04, 'selector empty', 'mixed')) return {};
  return choices.pick<LabelSelector>([
    { matchLabels: { app: labels.app ?? '' } },
    { matchLabels: { app: labels.app ?? '' } },
    { matchLabels: { app: labels.app ?? '' } },
    { matchLabels: { app: choices.pick(APPS) } },
    { matchExpressions: [{ key: 'app', operator: 'In', values: choices.some(APPS, 2) }] },
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: choices.some(APPS, 2) }] },
    { matchExpressions: [{ key: 'version', operator: choices.pick(['Exists', 'DoesNotExist']) }] },
  ]);
}

function randomKey(making: Making): string {
  const { choices, maybe } = making;
  if (maybe(0.08, 'odd topology key', 'mixed')) return choices.pick(ODD_KEYS);
  return choices.pick([ZONE, ZONE, HOSTNAME, HOSTNAME, CAPACITY_TYPE]);
}

export function randomPodTerm(making: Making, labels: Labels): PodAffinityTerm {
  const { choices, maybe } = making;
  const labelSelector = randomSelector(making, labels);
  return {
    topologyKey: randomKey(making),
    ...(labelSelector ? { labelSelector } : {}),
    ...(maybe(0.2, 'affinity namespaces', 'mixed') ? { namespaces: choices.some(['default', 'other']) } : {}),
    ...(maybe(0.12, 'affinity namespace selector', 'mixed')
      ? { namespaceSelector: choices.pick([{ matchLabels: { tier: 'one' } }, {}, { matchLabels: { tier: 'none' } }]) }
      : {}),
    ...(labelSelector && maybe(0.12, 'affinity matchLabelKeys', 'mixed') ? { matchLabelKeys: ['version'] } : {}),
    ...(labelSelector && maybe(0.12, 'affinity mismatchLabelKeys', 'mixed') ? { mismatchLabelKeys: ['tenant'] } : {}),
  };
}

export function randomSpread(making: Making, labels: Labels): TopologySpreadConstraint[] {
  const { choices, maybe } = making;
  if (!maybe(making.level === 'simple' ? 0.15 : 0.22, 'topology spread')) return [];
  const keys = choices.some([ZONE, HOSTNAME, CAPACITY_TYPE], 2);
  if (maybe(0.08, 'odd topology key', 'mixed')) keys.push(choices.pick(ODD_KEYS));
  if (maybe(0.06, 'two spreads on one key', 'mixed')) keys.push(keys[0] ?? ZONE);
  return keys.map((topologyKey) => {
    const labelSelector = choices.chance(0.8)
      ? { matchLabels: { app: labels.app ?? '' } }
      : randomSelector(making, labels);
    return {
      topologyKey,
      maxSkew: choices.integer(1, 3),
      whenUnsatisfiable: maybe(0.3, 'ScheduleAnyway') ? 'ScheduleAnyway' : 'DoNotSchedule',
      ...(labelSelector ? { labelSelector } : {}),
      ...(maybe(0.15, 'minDomains', 'mixed') && topologyKey === ZONE ? { minDomains: choices.integer(2, 5) } : {}),
      ...(maybe(0.15, 'nodeAffinityPolicy', 'mixed') ? { nodeAffinityPolicy: choices.pick(['Honor', 'Ignore']) } : {}),
      ...(maybe(0.15, 'nodeTaintsPolicy', 'mixed') ? { nodeTaintsPolicy: choices.pick(['Honor', 'Ignore']) } : {}),
      ...(labelSelector && maybe(0.12, 'spread matchLabelKeys', 'mixed')
        ? { matchLabelKeys: ['version', 'absent'] }
        : {}),
    };
  });
}
