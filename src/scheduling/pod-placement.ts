import type { PodSpec } from '../kube/objects.ts';
import type { Requirement } from './requirement.ts';
import type { RequirementSet, RequirementSets } from './requirement-sets.ts';
import { Requirements } from './requirements.ts';
import { inverseRules, type RuleContext, type RuleSource, type TopologyRule, topologyRules } from './topology-rule.ts';

/** What a spec says about where the pod may go. */
export interface PodPlacement {
  /** With the heaviest preference, while preferences are respected. */
  readonly set: RequirementSet;
  readonly hostname: Requirement | undefined;
  /** What the pod insists on. */
  readonly strict: Requirements;
  readonly rules: readonly TopologyRule[];
  readonly inverseRules: readonly TopologyRule[];
}

/** Works out placements; most pods of a cluster share a few. */
export class PodPlacements {
  readonly #context: RuleContext & { readonly sets: RequirementSets };
  readonly #known = new Map<string, PodPlacement>();

  constructor(context: RuleContext & { readonly sets: RequirementSets }) {
    this.#context = context;
  }

  of(source: RuleSource, key = placementKey(source.spec)): PodPlacement {
    const usesLabels = source.spec.topologySpreadConstraints?.some((constraint) => constraint.matchLabelKeys?.length);
    const full = `${source.namespace} ${key}${usesLabels ? JSON.stringify(source.labels) : ''}`;
    let placement = this.#known.get(full);
    if (!placement) {
      placement = this.#workOut(source);
      this.#known.set(full, placement);
    }
    return placement;
  }

  #workOut(source: RuleSource): PodPlacement {
    const { sets, respectPreferences } = this.#context;
    const pod = { metadata: { name: '' }, spec: source.spec };
    const strict = sets.split(Requirements.strictFromPod(pod));
    const wanted = respectPreferences ? sets.split(Requirements.fromPod(pod)) : strict;
    const { requirements } = strict.set;
    return {
      set: wanted.set,
      hostname: wanted.hostname,
      strict: strict.hostname ? new Requirements([...requirements, strict.hostname]) : requirements,
      rules: topologyRules(source, this.#context),
      inverseRules: inverseRules(source, this.#context),
    };
  }
}

/** The parts of a spec that decide where a pod may go, as text. */
export function placementKey({ nodeSelector, affinity, tolerations, topologySpreadConstraints }: PodSpec): string {
  if (!nodeSelector && !affinity && !tolerations && !topologySpreadConstraints) return '';
  return JSON.stringify([nodeSelector, affinity, tolerations, topologySpreadConstraints]);
}
