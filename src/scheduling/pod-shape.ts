import type { Pod, PodSpec } from '../kube/objects.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { type HostPort, hostPorts } from './host-ports.ts';
import type { MentionedKeys } from './mentioned-keys.ts';
import { relevantLabels } from './placed-pods.ts';
import { type PodPlacement, PodPlacements, placementKey } from './pod-placement.ts';
import { relax } from './relaxation.ts';
import type { RequirementSets, SplitRequirements } from './requirement-sets.ts';
import type { ResourceNames } from './resource-names.ts';
import type { Resources } from './resources.ts';
import type { RuleContext } from './topology-rule.ts';
import { NO_VOLUMES, type Volumes, type VolumesByDriver } from './volumes.ts';

/** Everything about a pod that placing it can depend on. Pods that are equal in it share one shape. */
export interface PodShape extends PodPlacement {
  readonly id: number;
  readonly namespace: string;
  /** Those that some rule can see. */
  readonly labels: Readonly<Record<string, string>>;
  /** Equal for equal labels in the same namespace. */
  readonly labelsId: number;
  /** As far as it has been relaxed. */
  readonly spec: PodSpec;
  readonly requests: Resources;
  /** Equal for equal requests. */
  readonly requestsId: number;
  readonly requestNames: readonly string[];
  /** The names as numbers. */
  readonly requestIds: readonly number[];
  readonly requestAmounts: readonly number[];
  readonly ports: readonly HostPort[];
  readonly volumes: VolumesByDriver;
  readonly volumeAlternatives: readonly SplitRequirements[] | undefined;
  readonly usesResourceClaims: boolean;
}

/** The part that relaxation leaves alone. */
type Fixed = Pick<
  PodShape,
  | 'namespace'
  | 'labels'
  | 'labelsId'
  | 'requests'
  | 'requestsId'
  | 'requestNames'
  | 'requestIds'
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
  readonly names: ResourceNames;
  readonly toleratePreferNoSchedule: boolean;
}

/** Interns shapes. */
export class PodShapes {
  readonly #context: ShapeContext;
  readonly #byKey = new Map<string, PodShape>();
  readonly #byPod = new Map<Pod, PodShape>();
  readonly #placements: PodPlacements;
  readonly #requestIds = new Map<string, number>();
  readonly #labelIds = new Map<string, number>();
  readonly #relaxed = new Map<PodShape, PodShape | undefined>();

  constructor(context: ShapeContext) {
    this.#context = context;
    this.#placements = new PodPlacements(context);
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
    const labelsKey = `${namespace} ${JSON.stringify(labels)}`;
    const ports = hostPorts(pod);
    const claims = usesResourceClaims(spec);
    const placement = placementKey(spec);
    const key = `${labelsKey} ${requestsKey} ${placement}${claims}${portsKey(ports)}${volumeKey(pod)}`;
    const known = this.#byKey.get(key);
    if (known) return known;
    const fixed: Fixed = {
      namespace,
      labels,
      labelsId: idOf(labelsKey, this.#labelIds),
      requests,
      requestsId: idOf(requestsKey, this.#requestIds),
      requestNames,
      requestIds: requestNames.map((name) => this.#context.names.idOf(name)),
      requestAmounts: requestNames.map((name) => requests[name] ?? 0),
      ports,
      usesResourceClaims: claims,
      ...this.#volumesOf(pod),
    };
    return this.#add(key, fixed, spec, placement);
  }

  /** The shape with its next preference given up; undefined when nothing is left to give. */
  relaxed(shape: PodShape): PodShape | undefined {
    if (this.#relaxed.has(shape)) return this.#relaxed.get(shape);
    const spec = relax(shape.spec, this.#context.toleratePreferNoSchedule);
    const next = spec && this.#add(`relaxed ${shape.id}`, shape, spec);
    this.#relaxed.set(shape, next);
    return next;
  }

  #add(key: string, fixed: Fixed, spec: PodSpec, placement = placementKey(spec)): PodShape {
    const source = { namespace: fixed.namespace, labels: fixed.labels, spec };
    const shape = { ...fixed, ...this.#placements.of(source, placement), id: this.#byKey.size, spec };
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

/** Numbers texts in the order in which they come. */
function idOf(text: string, ids: Map<string, number>): number {
  let id = ids.get(text);
  if (id === undefined) {
    id = ids.size;
    ids.set(text, id);
  }
  return id;
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
