import type { Clock } from '../../../kube/clock.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { SsmApi } from '../../aws-api/apis.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import type { SsmParameterQuery, SsmProvider } from '../contracts.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CUSTOM_TTL_MS = 5 * MINUTE_MS;

interface CachedParameter {
  readonly query: SsmParameterQuery;
  readonly value: string;
}

export interface SsmProviderDeps {
  readonly ssm: SsmApi;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Values of Systems Manager's parameters, kept for a day, or five minutes for those that users name (aws-provider.md section 3). */
export class DefaultSsmProvider implements SsmProvider {
  readonly #deps: SsmProviderDeps;
  readonly #cache: TtlCache<CachedParameter>;

  constructor(deps: SsmProviderDeps) {
    this.#deps = deps;
    this.#cache = new TtlCache(deps.clock, { ttlMs: DAY_MS, sweepMs: MINUTE_MS });
  }

  /** @throws with AWS's error as cause. */
  async get(query: SsmParameterQuery, signal?: AbortSignal): Promise<string> {
    const { ssm, log } = this.#deps;
    const cached = this.#cache.get(query.name);
    if (cached) return cached.value;
    const { Parameter } = await ssm.getParameter({ Name: query.name }, { signal }).catch((cause: unknown) => {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`getting ssm parameter, ${message} (parameter=${query.name})`, { cause });
    });
    const value = Parameter?.Value;
    if (!value) throw new Error(`getting ssm parameter, it has no value (parameter=${query.name})`);
    this.#cache.set(query.name, { query, value }, query.isCustom ? CUSTOM_TTL_MS : DAY_MS);
    log.info('discovered ssm parameter', { parameter: query.name, value });
    return value;
  }

  mutableValues(): ReadonlyMap<string, string> {
    const mutable = [...this.#cache.entries()].filter(([, { query }]) => query.isMutable);
    return new Map(mutable.map(([name, { value }]) => [name, value]));
  }

  forget(name: string): void {
    this.#cache.delete(name);
  }
}
