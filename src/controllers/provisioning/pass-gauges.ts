import type { GaugeSeries, Metrics } from '../../metrics/metrics.ts';
import type { Results } from '../../scheduling/types.ts';

/** What the last scheduling pass left behind; nothing stays of the passes before it (karpenter-core.md 11.2.12, 11.2.13). */
export class PassGauges {
  readonly #controller: string;
  #passes = 0;
  #depth = 0;
  #zones: ReadonlyMap<string, number> = new Map();

  /** @param controller whose passes they are. */
  constructor(metrics: Pick<Metrics, 'collect'>, controller: string) {
    this.#controller = controller;
    metrics.collect(() => this.#series());
  }

  record({ podErrors, notReached, effectiveZones = new Map() }: Results): void {
    this.#passes++;
    this.#depth = podErrors.size + notReached.length;
    this.#zones = effectiveZones;
  }

  #series(): GaugeSeries {
    const labels = { controller: this.#controller };
    const last = { labels: { ...labels, scheduling_id: String(this.#passes) }, value: this.#depth };
    return {
      scheduler_queue_depth: this.#passes === 0 ? [] : [last],
      scheduler_pending_pods_by_effective_zone_count: [...this.#zones].map(([zone, value]) => ({
        labels: { ...labels, zone },
        value,
      })),
    };
  }
}
