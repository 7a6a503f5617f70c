import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { needsFixedPort } from './fixed-port.ts';
import type { StartCluster, TestCluster } from './runtimes.ts';
import { type Outcome, runSpec, type SpecRun } from './specs.ts';

export interface Work {
  /** Titles, in the order in which they are begun. */
  readonly specs: readonly string[];
  readonly shards: number;
  readonly startCluster: StartCluster;
  /** The suite's program. */
  readonly suite: string;
  /** Logs go here. */
  readonly folder: string;
}

/** A spec that has run. */
export interface Ran {
  readonly spec: string;
  readonly outcome: Outcome;
  /** Its logs; those of its cluster are beside it. */
  readonly folder: string;
}

/** The specs that nobody has begun, and those that run now. */
class Queue {
  readonly #waiting: string[];
  readonly #running = new Set<string>();

  constructor(specs: readonly string[]) {
    this.#waiting = [...specs];
  }

  /** The next spec that may run now. */
  take(): string | undefined {
    const taken = [...this.#running].some(needsFixedPort);
    const index = this.#waiting.findIndex((spec) => !(taken && needsFixedPort(spec)));
    const [spec] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (spec !== undefined) this.#running.add(spec);
    return spec;
  }

  ended(spec: string): void {
    this.#running.delete(spec);
  }
}

/**
 * Runs the specs on `shards` independent clusters, each of which takes the next one when it is free. A spec that fails
 * may leave things behind, so that its cluster is replaced. Yields each as it ends.
 */
export async function* runSpecs(work: Work, signal: AbortSignal): AsyncGenerator<Ran> {
  const queue = new Queue(work.specs);
  const stopping = new AbortController();
  const either = AbortSignal.any([signal, stopping.signal]);
  const done: Ran[] = [];
  let wake = Promise.withResolvers<void>();
  const report = (ran: Ran): void => {
    done.push(ran);
    wake.resolve();
  };
  const shards = Array.from({ length: Math.min(work.shards, work.specs.length) }, (_, index) =>
    runShard(work, { name: `${index + 1}`, queue, report, signal: either }),
  );
  const all = Promise.all(shards);
  let left = work.specs.length;
  try {
    while (left > 0) {
      await Promise.race([wake.promise, all]);
      wake = Promise.withResolvers();
      for (const ran of done.splice(0)) {
        left--;
        yield ran;
      }
    }
  } finally {
    stopping.abort();
    await Promise.allSettled(shards);
  }
}

interface Shard {
  readonly name: string;
  /** Shared by all shards. */
  readonly queue: Queue;
  readonly report: (ran: Ran) => void;
  readonly signal: AbortSignal;
}

async function runShard(work: Work, { name, queue, report, signal }: Shard): Promise<void> {
  let cluster: TestCluster | undefined;
  let clusters = 0;
  let folder = '';
  let specs = 0;
  try {
    for (let spec = queue.take(); spec !== undefined; spec = queue.take()) {
      signal.throwIfAborted();
      if (!cluster) {
        clusters++;
        folder = join(work.folder, `cluster-${name}.${clusters}`);
        await mkdir(folder, { recursive: true });
        cluster = await work.startCluster(folder);
      }
      specs++;
      const specFolder = join(folder, `spec-${specs}`);
      await mkdir(specFolder);
      const run = { suite: work.suite, kubeconfig: cluster.kubeconfig, folder: specFolder };
      const outcome = await attempt(spec, run, cluster, signal);
      if (!outcome.passed) {
        await cluster[Symbol.asyncDispose]();
        cluster = undefined;
      }
      queue.ended(spec);
      report({ spec, outcome, folder: specFolder });
    }
  } finally {
    await cluster?.[Symbol.asyncDispose]();
  }
}

/** A cluster that breaks meanwhile is the spec's failure. */
async function attempt(spec: string, run: SpecRun, cluster: TestCluster, signal: AbortSignal): Promise<Outcome> {
  const over = new AbortController();
  const started = performance.now();
  const running = runSpec(spec, run, AbortSignal.any([signal, over.signal]));
  try {
    return await Promise.race([running, cluster.failed]);
  } catch (error) {
    signal.throwIfAborted();
    return { passed: false, seconds: (performance.now() - started) / 1000, failure: (error as Error).message };
  } finally {
    over.abort();
    await running.catch(() => {});
  }
}
