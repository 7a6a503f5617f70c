import type { Client } from '../kube/client.ts';
import type { Clock } from '../kube/clock.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../kube/errors.ts';
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
}

/** The leader could not renew its lease in time. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

/** One of several controllers leads, by a Lease that it keeps renewing (client-go's leaderelection). */
export class LeaderElection {
  readonly #deps: LeaderElectionDeps;
  /** The last foreign claim seen, and when: leases expire by our clock, not by what others write. */
  #seen: { readonly version: string; readonly at: number } | undefined;

  constructor(deps: LeaderElectionDeps) {
    this.#deps = deps;
  }

  /** Resolves when this process leads; rejects with the signal's reason. */
  async acquire(signal: AbortSignal): Promise<void> {
    while (!(await this.#tryAcquire(signal))) await this.#deps.clock.sleep(RETRY_MS, signal);
  }

  /**
   * Keeps the lease until the signal aborts, then gives it up.
   *
   * @throws {LeadershipLostError}
   */
  async hold(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    let renewed = clock.now();
    while (!signal.aborted) {
      await clock.sleep(RETRY_MS, signal).catch(() => undefined);
      if (signal.aborted) break;
      if (await this.#tryAcquire(signal)) renewed = clock.now();
      else if (clock.now() - renewed >= RENEW_DEADLINE_MS) throw new LeadershipLostError('leader election lost');
    }
    await this.#release();
  }

  async #tryAcquire(signal: AbortSignal): Promise<boolean> {
    try {
      const current = await this.#read(signal);
      if (!current) {
        await this.#deps.client.create(Leases, this.#lease(undefined), {}, signal);
        return true;
      }
      if (!this.#isFree(current)) return false;
      await this.#deps.client.update(Leases, this.#lease(current), {}, signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (isConflict(error) || isAlreadyExists(error)) return false;
      // The API is out of reach: whoever leads will notice the same way.
      return false;
    }
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#deps.client.get(Leases, this.#deps.lease, signal);
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

  async #release(): Promise<void> {
    const { client } = this.#deps;
    const signal = AbortSignal.timeout(RETRY_MS);
    try {
      const current = await this.#read(signal);
      if (current?.spec?.holderIdentity !== this.#deps.identity) return;
      const spec = { ...current.spec, holderIdentity: '', leaseDurationSeconds: 1 };
      await client.update(Leases, { ...current, spec }, {}, signal);
    } catch {
      // It expires by itself.
    }
  }
}
