import type { Labels } from '../../kube/label-requirement.ts';
import { refKey } from '../../kube/object-key.ts';
import type { Pod, PodAffinity } from '../../kube/objects.ts';
import { podRequests, podRequestsWithDefaults } from '../../kube/pod-requests.ts';
import { type AffinityTerm, affinityTerm } from './affinity-term.ts';
import { type HostPort, hostPortsOf } from './host-ports.ts';
import type { LabelShape, LabelShapes } from './label-shapes.ts';
import { schedulingShape } from './scheduling-shape.ts';

/** A pod as the scheduler needs it, worked out once. Amounts are in thousandths. */
export interface PodInfo {
  readonly pod: Pod;
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Labels;
  /** The same object for all pods that selectors can't tell apart. */
  readonly shape: LabelShape;
  /** See `schedulingShape`. */
  readonly schedulingShape: string | undefined;
  readonly priority: number;
  /** Epoch milliseconds since when it runs, or exists. */
  readonly startTime: number;
  /** Resources asked for, zeros left out. */
  readonly requests: readonly (readonly [name: string, milli: number])[];
  /** What scoring assumes of pods that ask for little. */
  readonly assumedCpu: number;
  readonly assumedMemory: number;
  readonly hostPorts: readonly HostPort[];
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly AffinityTerm[];
  readonly preferredAntiAffinity: readonly AffinityTerm[];
  /** Has any of the four. */
  readonly hasAffinity: boolean;
}

/** Defaults of pkg/scheduler/util: 0.1 core and 200 MiB, so that pods without requests are spread too. */
const ASSUMED = { cpu: 100, memory: 200 * 2 ** 20 * 1000 };

export function podInfo(pod: Pod, shapes: LabelShapes): PodInfo {
  const { metadata, spec, status } = pod;
  const namespace = metadata.namespace ?? '';
  const labels = metadata.labels ?? {};
  const owner = { namespace, labels };
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const required = (affinity: PodAffinity | undefined): AffinityTerm[] =>
    (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => affinityTerm(term, owner));
  const preferred = (affinity: PodAffinity | undefined): AffinityTerm[] =>
    (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) =>
      affinityTerm(podAffinityTerm, owner, weight),
    );
  const assumed = podRequestsWithDefaults(pod, ASSUMED);
  return {
    pod,
    key: refKey(metadata),
    uid: metadata.uid ?? '',
    namespace,
    labels,
    shape: shapes.of(pod),
    schedulingShape: schedulingShape(pod),
    priority: spec.priority ?? 0,
    startTime: Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '') || 0,
    requests: Object.entries(podRequests(pod)).filter(([, milli]) => milli !== 0),
    assumedCpu: assumed.cpu ?? 0,
    assumedMemory: assumed.memory ?? 0,
    hostPorts: hostPortsOf(spec),
    requiredAffinity: required(podAffinity),
    requiredAntiAffinity: required(podAntiAffinity),
    preferredAffinity: preferred(podAffinity),
    preferredAntiAffinity: preferred(podAntiAffinity),
    hasAffinity: podAffinity !== undefined || podAntiAffinity !== undefined,
  };
}
