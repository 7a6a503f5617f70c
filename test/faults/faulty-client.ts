import type { Client, ListResult, Resource, Status, WatchEvent, WatchOptions } from '../../src/kube/client.ts';
import type { Clock } from '../../src/kube/clock.ts';
import { ApiError, ConnectionError } from '../../src/kube/errors.ts';
import type { KubeObject } from '../../src/kube/objects.ts';
import type { API_FAULTS, FaultKind, Faults } from './fault-kinds.ts';
import type { Lifeline } from './lifeline.ts';

export interface FaultyClientDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly lifeline: Lifeline;
}

type Trouble = (typeof API_FAULTS)[number];

const READ: readonly Trouble[] = ['throttled', 'server error', 'unavailable', 'refused', 'no answer', 'answer late'];
const WRITE: readonly Trouble[] = [...READ, 'no answer, but done', 'answer lost'];
/** Writes that the API checks against a version. */
const VERSIONED_WRITE: readonly Trouble[] = [...WRITE, 'conflict'];
const WATCH = ['watch dropped', 'watch closed', 'watch expired', 'watch late'] as const;

/** No answer for so many milliseconds: at most what the HTTP client waits. */
const SILENCE = { least: 1000, most: 60_000 };
const LATE = { least: 100, most: 8000 };
/** Events are many more than requests. */
const WATCH_SHARE = 0.1;
const ANSWERS: Readonly<Partial<Record<FaultKind, Status>>> = {
  conflict: { code: 409, reason: 'Conflict', message: 'the object has been modified' },
  throttled: { code: 429, reason: 'TooManyRequests', message: 'too many requests', details: { retryAfterSeconds: 1 } },
  'server error': { code: 500, reason: 'InternalError', message: 'Internal error occurred' },
  unavailable: { code: 503, reason: 'ServiceUnavailable', message: 'the server is starting' },
};
const EXPIRED: Status = { code: 410, reason: 'Expired', message: 'too old resource version' };

/** The client of a controller process whose API and network misbehave as `faults` says. */
export class FaultyClient implements Client {
  readonly #deps: FaultyClientDeps;
  /** Earlier answers to the same question. */
  readonly #lists = new Map<string, unknown>();

  constructor(deps: FaultyClientDeps) {
    this.#deps = deps;
  }

  get: Client['get'] = (resource, ref, signal) =>
    this.#read(() => this.#deps.client.get(resource, ref, signal), signal);

  list: Client['list'] = (resource, options, signal) =>
    this.#read(async () => {
      const fresh = await this.#deps.client.list(resource, options, signal);
      return this.#aged(resource, options, fresh);
    }, signal);

  create: Client['create'] = (resource, object, options, signal) =>
    this.#write(WRITE, () => this.#deps.client.create(resource, object, options, signal), signal);

  update: Client['update'] = (resource, object, options, signal) =>
    this.#write(VERSIONED_WRITE, () => this.#deps.client.update(resource, object, options, signal), signal);

  patch: Client['patch'] = (resource, ref, patch, options, signal) =>
    this.#write(VERSIONED_WRITE, () => this.#deps.client.patch(resource, ref, patch, options, signal), signal);

  delete: Client['delete'] = (resource, ref, options, signal) =>
    this.#write(WRITE, () => this.#deps.client.delete(resource, ref, options, signal), signal);

  async *watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>> {
    const { client, clock, faults, lifeline } = this.#deps;
    for await (const event of client.watch(resource, options, signal)) {
      if (lifeline.isDead) return;
      switch (faults.draw(WATCH, WATCH_SHARE)) {
        case 'watch dropped':
          throw new ConnectionError('watch reset');
        case 'watch closed':
          return;
        case 'watch expired':
          yield { type: 'ERROR', object: EXPIRED };
          return;
        case 'watch late':
          await clock.sleep(faults.choices.integer(LATE.least, LATE.most), signal);
      }
      if (lifeline.isDead) return;
      yield event;
    }
  }

  /** Lists of a whole resource may be what they were the last time, version and all. */
  #aged<T extends KubeObject>(
    { group, plural }: Resource<T>,
    options: Parameters<Client['list']>[1],
    fresh: ListResult<T>,
  ): ListResult<T> {
    if (fresh.continue || options?.continue) return fresh;
    const key = JSON.stringify([group, plural, options]);
    const old = this.#lists.get(key) as ListResult<T> | undefined;
    this.#lists.set(key, fresh);
    return old && this.#deps.faults.draw(['old list']) ? old : fresh;
  }

  async #read<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return await this.#deps.lifeline.through(() => this.#troubled(READ, call, signal), false);
  }

  async #write<T>(kinds: readonly Trouble[], call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return await this.#deps.lifeline.through(() => this.#troubled(kinds, call, signal), true);
  }

  async #troubled<T>(kinds: readonly Trouble[], call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { clock, faults } = this.#deps;
    const kind = faults.draw(kinds);
    if (kind === undefined) return await call();
    const refusal = ANSWERS[kind];
    if (refusal) throw new ApiError(refusal);
    if (kind === 'answer late') {
      const answer = await call();
      await clock.sleep(faults.choices.integer(LATE.least, LATE.most), signal);
      return answer;
    }
    if (kind === 'no answer, but done' || kind === 'answer lost') await call().catch(() => undefined);
    if (kind.startsWith('no answer')) await clock.sleep(faults.choices.integer(SILENCE.least, SILENCE.most), signal);
    throw new ConnectionError(kind);
  }
}
