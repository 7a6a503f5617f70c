import type { Clock } from '../../kube/clock.ts';
import type { Pod } from '../../kube/objects.ts';
import type { Logger } from '../../logging/logger.ts';
import { isVirtualPod } from '../../scheduling/buffers/virtual-pods.ts';
import { podList } from '../name-list.ts';

interface Deps {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'info'>;
}

/** A pod is spoken of once in so long. */
const AGAIN_MS = 24 * 3_600_000;
const SHOWN = 10;

/** Rules that pods are placed by as if they were hard, so that fewer nodes can be consolidated than one would think. */
const HINTS: readonly { readonly rule: string; readonly holds: (pod: Pod) => boolean }[] = [
  {
    rule: 'Anti-Affinity',
    holds: ({ spec: { affinity } }) =>
      (affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).length > 0,
  },
  {
    rule: 'TopologySpreadConstraint',
    holds: ({ spec: { topologySpreadConstraints = [] } }) =>
      topologySpreadConstraints.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway'),
  },
];

/** Says in the log which waiting pods have rules that can prevent consolidation (karpenter-core.md 3.4.4). */
export class ConsolidationHints {
  readonly #deps: Deps;
  /** Rule and uid → when it was said. */
  readonly #said = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  note(pods: Iterable<Pod>): void {
    const now = this.#deps.clock.now();
    for (const [key, time] of this.#said) if (now - time >= AGAIN_MS) this.#said.delete(key);
    const real = [...pods].filter((pod) => !isVirtualPod(pod));
    for (const { rule, holds } of HINTS) {
      const keyOf = ({ metadata: { uid = '' } }: Pod): string => `${rule} ${uid}`;
      const fresh = real.filter((pod) => holds(pod) && !this.#said.has(keyOf(pod)));
      if (fresh.length === 0) continue;
      for (const pod of fresh) this.#said.set(keyOf(pod), now);
      const message = `pod(s) have a preferred ${rule} which can prevent consolidation`;
      this.#deps.log.info(message, { pods: podList(fresh, SHOWN) });
    }
  }
}
