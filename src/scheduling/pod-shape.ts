import type { Pod, PodSpec } from '../kube/objects.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { type HostPort, hostPorts } from './host-ports.ts';
import type { MentionedKeys } from './mentioned-keys.ts';
import { relevantLabels } from './placed-pods.ts';
import { relax } from './relaxation.ts';
import type { Requirement } from './requirement.ts';
import type { RequirementSet, RequirementSets, SplitRequirements } from './requirement-sets.ts';
import { Requirements } from './requirements.ts';
import type { Resources } from './resources.ts';
import { inverseRules, type RuleContext, type TopologyRule, topologyRules } from './topology-rule.ts';
import type { Volumes, VolumesByDriver } from './volumes.ts';

/** Everything about a pod that placing it can depend on. Pods that are equal in it share one shape. */
export interface PodShape {
  readonly id: number;
  readonly namespace: string;
  /** Those that some rule can see. */
  readonly labels: Readonly<Record<string, string>>;
  /** As far as it has been relaxed. */
  readonly spec: PodSpec;
  readonly requests: Resources;
  /** Equal for equal requests. */
  readonly requestsId: number;
  readonly requestNames: readonly string[];
  readonly requestAmounts: readonly number[];
  /** With the heaviest preference, while preferences are respected. */
  readonly set: RequirementSet;
  readonly hostname: Requirement | undefined;
  /** What the pod insists on. */
  readonly strict: Requirements;
  readonly ports: readonly HostPort[];
  readonly volumes: VolumesByDriver;
  readonly volumeAlternatives: readonly SplitRequirements[] | undefined;
  readonly usesResourceClaims: boolean;
  readonly rules: readonly TopologyRule[];
  readonly inverseRules: readonly TopologyRule[];
}

/** The part that relaxation leaves alone. */
type Fixed = Pick<
  PodShape,
  | 'namespace'
  | 'labels'
  | 'requests'
  | 'requestsId'
  | 'requestNames'
  | 'requestAmounts'
  | 'ports'
  | 'volumes'
  | 'volumeAlternatives'
  | 'usesResourceClaims'
>;

export interface ShapeContext extends RuleContext {
  readonly sets: RequirementSets;
  readonly volumes: Volumes;
  readonly mentioned: MentionedKeys;
  readonly toleratePreferNoSchedule: boolean;
}

const NO_VOLUMES: VolumesByDriver = new Map();

/** Interns shapes. */
export class PodShapes {
  readonly #context: ShapeContext;
  readonly #byKey = new Map<string, PodShape>();
  readonly #byPod = new WeakMap<Pod, PodShape>();
  readonly #requestIds = new Map<string, number>();
  readonly #relaxed = new Map<PodShape, PodShape | undefined>();

  constructor(context: ShapeContext) {
    this.#context = context;
  }

  of(pod: Pod): PodShape {
    const known = this.#byPod.get(pod);
    if (known) return known;
    const shape = this.#find(pod);
    this.#byPod.set(pod, shape);
    return shape;
  }

  #find(pod: Pod): PodShape {
    const { spec } = pod;
    const requests = podRequests(pod);
    requests.pods = 1000;
    const requestNames = Object.keys(requests);
    const requestsKey = requestNames.map((name) => `${name}=${requests[name]}`).join();
    const namespace = pod.metadata.namespace ?? '';
    const labels = relevantLabels(pod.metadata.labels, this.#context.mentioned.selectors);
    const ports = hostPorts(pod);
    const claims = usesResourceClaims(spec);
    const key = `${namespace} ${requestsKey} ${JSON.stringify(labels)}${placementKey(spec)}${claims}${portsKey(ports)}${volumeKey(pod)}`;
    const known = this.#byKey.get(key);
    if (known) return known;
    const fixed: Fixed = {
      namespace,
      labels,
      requests,
      requestsId: this.#requestsId(requestsKey),
      requestNames,
      requestAmounts: requestNames.map((name) => requests[name] ?? 0),
      ports,
      usesResourceClaims: claims,
      ...this.#volumesOf(pod),
    };
    return this.#add(key, fixed, spec);
  }

  #requestsId(key: string): number {
    const id = this.#requestIds.get(key) ?? this.#requestIds.size;
    this.#requestIds.set(key, id);
    return id;
  }

  /** The shape with its next preference given up; undefined when nothing is left to give. */
  relaxed(shape: PodShape): PodShape | undefined {
    if (this.#relaxed.has(shape)) return this.#relaxed.get(shape);
    const spec = relax(shape.spec, this.#context.toleratePreferNoSchedule);
    const next = spec && this.#add(`relaxed ${shape.id}`, shape, spec);
    this.#relaxed.set(shape, next);
    return next;
  }

  #add(key: string, fixed: Fixed, spec: PodSpec): PodShape {
    const { sets, respectPreferences } = this.#context;
    const source = { namespace: fixed.namespace, labels: fixed.labels, spec };
    const strict = sets.split(Requirements.strictFromPod({ metadata: { name: '' }, spec }));
    const wanted = respectPreferences ? sets.split(Requirements.fromPod({ metadata: { name: '' }, spec })) : strict;
    const hostnames = strict.hostname ? [strict.hostname] : [];
    const shape: PodShape = {
      ...fixed,
      id: this.#byKey.size,
      spec,
      set: wanted.set,
      hostname: wanted.hostname,
      strict:
        hostnames.length > 0 ? new Requirements([...strict.set.requirements, ...hostnames]) : strict.set.requirements,
      rules: topologyRules(source, this.#context),
      inverseRules: inverseRules(source, this.#context),
    };
    this.#byKey.set(key, shape);
    return shape;
  }

  #volumesOf(pod: Pod): Pick<Fixed, 'volumes' | 'volumeAlternatives'> {
    if (!pod.spec.volumes?.length) return { volumes: NO_VOLUMES, volumeAlternatives: undefined };
    return {
      volumes: this.#context.volumes.attached(pod),
      volumeAlternatives: this.#context.volumes.alternatives(pod)?.map((r) => this.#context.sets.split(r)),
    };
  }
}

/** The parts of a spec that decide where a pod may go. */
function placementKey({ nodeSelector, affinity, tolerations, topologySpreadConstraints }: PodSpec): string {
  if (!nodeSelector && !affinity && !tolerations && !topologySpreadConstraints) return '';
  return JSON.stringify([nodeSelector, affinity, tolerations, topologySpreadConstraints]);
}

function portsKey(ports: readonly HostPort[]): string {
  return ports.length > 0 ? JSON.stringify(ports) : '';
}

function volumeKey(pod: Pod): string {
  const claims = (pod.spec.volumes ?? []).filter((v) => v.persistentVolumeClaim || v.ephemeral);
  return claims.map((v) => v.persistentVolumeClaim?.claimName ?? `${pod.metadata.name}-${v.name}`).join();
}

/** The pod refers to ResourceClaims, as a whole or for one of its containers. */
export function usesResourceClaims(spec: PodSpec): boolean {
  if (spec.resourceClaims?.length) return true;
  return [...(spec.initContainers ?? []), ...spec.containers].some((c) => c.resources?.claims?.length);
}
