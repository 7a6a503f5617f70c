import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartCluster, TestCluster } from './runtimes.ts';
import { type Outcome, runSpec } from './specs.ts';

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

/**
 * Runs the specs on `shards` independent clusters, each of which takes the next one when it is free. A spec that fails
 * may leave things behind, so that its cluster is replaced. Yields each as it ends.
 */
export async function* runSpecs(work: Work, signal: AbortSignal): AsyncGenerator<Ran> {
  const waiting = [...work.specs];
  const stopping = new AbortController();
  const either = AbortSignal.any([signal, stopping.signal]);
  const done: Ran[] = [];
  let wake = Promise.withResolvers<void>();
  const report = (ran: Ran): void => {
    done.push(ran);
    wake.resolve();
  };
  const shards = Array.from({ length: Math.min(work.shards, waiting.length) }, (_, index) =>
    runShard(work, { name: `${index + 1}`, waiting, report, signal: either }),
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
  readonly waiting: string[];
  readonly report: (ran: Ran) => void;
  readonly signal: AbortSignal;
}

async function runShard(work: Work, { name, waiting, report, signal }: Shard): Promise<void> {
  let cluster: TestCluster | undefined;
  let clusters = 0;
  let folder = '';
  let specs = 0;
  try {
    for (let spec = waiting.shift(); spec !== undefined; spec = waiting.shift()) {
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
      const run = {
        suite: work.suite,
        kubeconfig: cluster.kubeconfig,
        folder: specFolder,
      };
      const outcome = await Promise.race([runSpec(spec, run, signal), cluster.failed]);
      if (!outcome.passed) {
        await cluster[Symbol.asyncDispose]();
        cluster = undefined;
      }
      report({ spec, outcome, folder: specFolder });
    }
  } finally {
    await cluster?.[Symbol.asyncDispose]();
  }
}
