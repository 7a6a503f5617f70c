import type { Client } from '../kube/client.ts';
import type { Clock } from '../kube/clock.ts';
import { isNotFound } from '../kube/errors.ts';
import type { Lease } from '../kube/objects.ts';
import { Leases } from '../kube/resources.ts';
import { formatMicroTimestamp } from '../kube/timestamp.ts';

const DURATION_SECONDS = 15;
/** A leader that has not been able to renew for this long stops, before others may take over. */
const RENEW_DEADLINE_MS = 10_000;
const RETRY_MS = 2000;

/** Where the lease is unless told, as Karpenter's chart is installed. */
export const DEFAULT_LEASE_NAMESPACE = 'kube-system';

export interface LeaderElectionDeps {
  readonly client: Client;
  readonly clock: Clock;
  /** Name and namespace of the Lease. */
  readonly lease: { readonly name: string; readonly namespace: string };
  /** Unlike that of any other candidate. */
  readonly identity: string;
  /** Told when this process begins to lead and when it stops, with the lease as it last wrote it. */
  readonly onChange?: (leads: boolean, lease: Lease) => void;
  /** Told of every attempt that failed, in client-go's words; the next one follows after the retry period. */
  readonly onError?: (message: string, error: unknown) => void;
}

/** A request of an attempt that was refused or not answered; `cause` says how. */
class FailedAttempt extends Error {}

/** The leader could not renew its lease in time. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

/** One of several controllers leads, by a Lease that it keeps renewing (client-go's leaderelection). */
export class LeaderElection {
  readonly #deps: LeaderElectionDeps;
  /** The last foreign claim seen, and when: leases expire by our clock, not by what others write. */
  #seen: { readonly version: string; readonly at: number } | undefined;
  #written: Lease | undefined;

  constructor(deps: LeaderElectionDeps) {
    this.#deps = deps;
  }

  /** Resolves when this process leads; rejects with the signal's reason. */
  async acquire(signal: AbortSignal): Promise<void> {
    while (!(await this.#attempt(signal))) await this.#deps.clock.sleep(RETRY_MS, signal);
    this.#tell(true);
  }

  /**
   * Keeps the lease until the signal aborts, then gives it up.
   *
   * @throws {LeadershipLostError}
   */
  async hold(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    let renewed = clock.now();
    for (;;) {
      await clock.sleep(RETRY_MS, signal).catch(() => undefined);
      if (signal.aborted) break;
      await this.#renew(renewed + RENEW_DEADLINE_MS, signal);
      renewed = clock.now();
    }
    await this.#release();
    this.#tell(false);
  }

  /** Tries until the lease is renewed, the signal aborts or the deadline has passed. */
  async #renew(deadline: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const lost = new LeadershipLostError('leader election lost');
    const within = this.#within(deadline - clock.now(), signal, lost);
    try {
      while (!(await this.#attempt(within.signal))) await clock.sleep(RETRY_MS, within.signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#deps.onError?.('Failed to renew lease', error);
      this.#tell(false);
      throw error;
    } finally {
      within.cancel();
    }
  }

  /** One attempt to get or renew the lease, and no longer than the deadline of a renewal. */
  async #attempt(signal: AbortSignal): Promise<boolean> {
    const within = this.#within(RENEW_DEADLINE_MS, signal, new Error('the API did not answer in time'));
    try {
      return await this.#tryAcquire(within.signal);
    } catch (error) {
      signal.throwIfAborted();
      // A conflict, a right that is missing, or the API is out of reach: whoever leads will notice the same way.
      if (error instanceof FailedAttempt) this.#deps.onError?.(error.message, error.cause);
      return false;
    } finally {
      within.cancel();
    }
  }

  async #tryAcquire(signal: AbortSignal): Promise<boolean> {
    const { client } = this.#deps;
    const current = await orFailed('Error retrieving lease lock', this.#read(signal));
    if (current && !this.#isFree(current)) return false;
    const lease = this.#lease(current);
    this.#written = current
      ? await orFailed('Failed to update lease', answered(client.update(Leases, lease, {}, signal), signal))
      : await orFailed(
          'Error initially creating lease lock',
          answered(client.create(Leases, lease, {}, signal), signal),
        );
    return true;
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await answered(this.#deps.client.get(Leases, this.#deps.lease, signal), signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #isFree({ metadata, spec }: Lease): boolean {
    const now = this.#deps.clock.now();
    if (!spec?.holderIdentity || spec.holderIdentity === this.#deps.identity) return true;
    const version = metadata.resourceVersion ?? '';
    if (this.#seen?.version !== version) this.#seen = { version, at: now };
    return now - this.#seen.at > (spec.leaseDurationSeconds ?? DURATION_SECONDS) * 1000;
  }

  #lease(current: Lease | undefined): Lease {
    const { clock, identity, lease } = this.#deps;
    const now = formatMicroTimestamp(clock.now());
    const isOurs = current?.spec?.holderIdentity === identity;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      ...current,
      metadata: { ...lease, ...current?.metadata },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: DURATION_SECONDS,
        acquireTime: (isOurs ? current?.spec?.acquireTime : undefined) ?? now,
        renewTime: now,
        leaseTransitions: (current?.spec?.leaseTransitions ?? 0) + (current && !isOurs ? 1 : 0),
      },
    };
  }

  /** Lets the others take over at once instead of after the lease has run out. */
  async #release(): Promise<void> {
    const { client, clock, identity } = this.#deps;
    const within = this.#within(RENEW_DEADLINE_MS, undefined, new Error('the API did not answer in time'));
    try {
      const current = await this.#read(within.signal);
      if (current?.spec?.holderIdentity !== identity) return;
      const now = formatMicroTimestamp(clock.now());
      const { leaseTransitions } = current.spec;
      const spec = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions };
      this.#written = await answered(client.update(Leases, { ...current, spec }, {}, within.signal), within.signal);
    } catch {
      // It expires by itself.
    } finally {
      within.cancel();
    }
  }

  #tell(leads: boolean): void {
    if (this.#written) this.#deps.onChange?.(leads, this.#written);
  }

  /** A signal that also aborts, for `reason`, after `ms`; `cancel` calls that off. */
  #within(ms: number, signal: AbortSignal | undefined, reason: Error) {
    const late = new AbortController();
    const cancel = this.#deps.clock.setTimeout(() => late.abort(reason), ms);
    return { signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal, cancel };
  }
}

async function orFailed<T>(message: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new FailedAttempt(message, { cause });
  }
}

/** The answer, unless the signal aborts first: a client may not notice that in the middle of a request. */
async function answered<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([answer, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
