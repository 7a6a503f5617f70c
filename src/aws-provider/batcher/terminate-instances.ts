import type { InstanceStateChange } from '@aws-sdk/client-ec2';
import type { Logger } from '../../logging/logger.ts';
import type { Ec2Api } from '../aws-api/apis.ts';
import { Batcher, type BatcherDeps, type Outcome } from './batcher.ts';

export interface TerminateInstancesBatcherDeps extends BatcherDeps {
  readonly ec2: Pick<Ec2Api, 'terminateInstances'>;
  readonly log: Logger;
}

type Changes = readonly InstanceStateChange[];

const ENDING: ReadonlySet<string | undefined> = new Set(['shutting-down', 'terminated']);

/** Terminations of single instances become one. */
export class TerminateInstancesBatcher {
  readonly #deps: TerminateInstancesBatcherDeps;
  readonly #batcher: Batcher<string, Changes>;

  constructor(deps: TerminateInstancesBatcherDeps) {
    this.#deps = deps;
    this.#batcher = new Batcher(deps, {
      name: 'terminate_instances',
      idleMs: 100,
      maxMs: 1000,
      maxItems: 500,
      bucketOf: () => '',
      send: (ids) => this.#send(ids),
    });
  }

  async terminateInstance(id: string, signal?: AbortSignal): Promise<Changes> {
    return await this.#batcher.add(id, signal);
  }

  async #send(ids: readonly string[]): Promise<readonly Outcome<Changes>[]> {
    const ending = await this.#terminateTogether([...new Set(ids)]);
    const running = [...new Set(ids)].filter((id) => !ending.has(id));
    // One protected or unknown instance fails the whole call, and so may one zone.
    const alone = await Promise.all(running.map(async (id) => [id, await this.#terminateAlone(id)] as const));
    const outcomes = new Map(alone);
    return ids.map((id) => {
      const change = ending.get(id);
      return change ? { output: [change] } : (outcomes.get(id) ?? { output: [] });
    });
  }

  async #terminateTogether(ids: string[]): Promise<ReadonlyMap<string, InstanceStateChange>> {
    const { ec2, log } = this.#deps;
    try {
      const { TerminatingInstances = [] } = await ec2.terminateInstances({ InstanceIds: ids });
      const ending = TerminatingInstances.filter(({ CurrentState }) => ENDING.has(CurrentState?.Name));
      return new Map(ending.map((change) => [change.InstanceId ?? '', change]));
    } catch (error) {
      log.error('failed terminating instances', error);
      return new Map();
    }
  }

  async #terminateAlone(id: string): Promise<Outcome<Changes>> {
    try {
      const { TerminatingInstances = [] } = await this.#deps.ec2.terminateInstances({ InstanceIds: [id] });
      return { output: TerminatingInstances };
    } catch (error) {
      return { error };
    }
  }
}
