export type Health = 'Unknown' | 'Healthy' | 'Unhealthy';

const SAMPLES = 4;
const UNHEALTHY_SHARE = 0.5;

function judge(samples: readonly boolean[]): Health {
  if (samples.length === 0) return 'Unknown';
  // Always out of four, so that two failures are enough even when nothing else is known.
  const failures = samples.filter((ok) => !ok).length;
  return failures / SAMPLES >= UNHEALTHY_SHARE ? 'Unhealthy' : 'Healthy';
}

/** Whether the last few claims of each pool got a registered node, in memory, by the pool's uid (karpenter-core.md 5.6). */
export class RegistrationHealth {
  readonly #samples = new Map<string, readonly boolean[]>();

  of(poolUid: string): Health {
    return judge(this.#samples.get(poolUid) ?? []);
  }

  /** What the health would be after one more sample. */
  after(poolUid: string, success: boolean): Health {
    return judge(this.#with(poolUid, success));
  }

  record(poolUid: string, success: boolean): void {
    this.#samples.set(poolUid, this.#with(poolUid, success));
  }

  /** Starts over from a known state: one success, as many failures as it takes, or nothing. */
  reset(poolUid: string, health: Health): void {
    const failures = new Array<boolean>(SAMPLES * UNHEALTHY_SHARE).fill(false);
    this.#samples.set(poolUid, health === 'Unknown' ? [] : health === 'Healthy' ? [true] : failures);
  }

  #with(poolUid: string, success: boolean): readonly boolean[] {
    return [...(this.#samples.get(poolUid) ?? []), success].slice(-SAMPLES);
  }
}
