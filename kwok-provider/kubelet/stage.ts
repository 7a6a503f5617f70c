import { parseDuration } from '../../src/apis/duration.ts';
import type { Pod, PodStatus } from '../../src/kube/objects.ts';
import type { NodeAgentOptions } from './options.ts';

/** What a stage knows of where the pod is. */
export interface StageContext {
  readonly now: number;
  readonly podIp: string;
  readonly hostIp: string;
}

/** One step in the life of a fake pod. A pod may be in several stages; the one that ends first happens. */
export interface PodStage {
  /** Under this name, `NAME.stage.kwok.x-k8s.io/delay` and `/jitter-delay` on a pod set when the stage ends. */
  readonly name: string;
  applies(pod: Pod, options: NodeAgentOptions, nodeReady: boolean): boolean;
  /** Milliseconds that the stage lasts without such an annotation. */
  delay(pod: Pod, options: NodeAgentOptions): number;
  /** When the stage began, if the pod tells (epoch milliseconds); else it begins when the agent first sees the pod in it. */
  since?(pod: Pod): number | undefined;
  /** What happens at its end: a new status, or the pod is gone. */
  next(pod: Pod, context: StageContext): PodStatus | 'deleted';
}

/**
 * When the stage of a pod ends, in epoch milliseconds. Annotations hold a duration (`5s`) or a time (RFC 3339), as kwok's
 * `expressionFrom` reads them.
 *
 * @param seen when the agent first saw the pod in this stage.
 * @param random in [0, 1): places the end between the delay and the jittered delay.
 */
export function endOf(stage: PodStage, pod: Pod, options: NodeAgentOptions, seen: number, random: number): number {
  const start = stage.since?.(pod) ?? seen;
  const annotations = pod.metadata.annotations ?? {};
  const end = timeOf(annotations[`${stage.name}.stage.kwok.x-k8s.io/delay`], start);
  const base = end ?? start + stage.delay(pod, options);
  const jittered = timeOf(annotations[`${stage.name}.stage.kwok.x-k8s.io/jitter-delay`], start);
  return jittered === undefined || jittered <= base ? base : base + (jittered - base) * random;
}

function timeOf(text: string | undefined, start: number): number | undefined {
  if (text === undefined) return undefined;
  const duration = parseDuration(text);
  if (duration !== undefined) return start + duration;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
