import type { DescribeInstancesRequest, Instance } from '@aws-sdk/client-ec2';
import type { Ec2Api } from '../aws-api/apis.ts';
import { pages } from '../aws-api/pages.ts';
import { Batcher, type BatcherDeps, type Outcome } from './batcher.ts';
import { contentKey } from './content-key.ts';

export interface DescribeInstancesBatcherDeps extends BatcherDeps {
  readonly ec2: Pick<Ec2Api, 'describeInstances'>;
}

type Filters = DescribeInstancesRequest['Filters'];

interface Input {
  readonly id: string;
  readonly filters: Filters;
}

/** Looks for single instances by the same filters become one list. */
export class DescribeInstancesBatcher {
  readonly #ec2: Pick<Ec2Api, 'describeInstances'>;
  readonly #batcher: Batcher<Input, readonly Instance[]>;

  constructor(deps: DescribeInstancesBatcherDeps) {
    this.#ec2 = deps.ec2;
    this.#batcher = new Batcher(deps, {
      name: 'describe_instances',
      idleMs: 100,
      maxMs: 1000,
      maxItems: 500,
      bucketOf: ({ filters }) => contentKey(filters),
      send: (inputs) => this.#send(inputs),
    });
  }

  /** The instance in a list, or an empty list when the filters leave it out. */
  async describeInstance(id: string, filters: Filters, signal?: AbortSignal): Promise<readonly Instance[]> {
    return await this.#batcher.add({ id, filters }, signal);
  }

  async #send(inputs: readonly Input[]): Promise<readonly Outcome<readonly Instance[]>[]> {
    const filters = inputs[0]?.filters;
    const found = await this.#describeTogether([...new Set(inputs.map(({ id }) => id))], filters);
    const missing = [...new Set(inputs.map(({ id }) => id))].filter((id) => !found.has(id));
    // One id that EC2 does not know fails the whole list, and so may one zone.
    const alone = await Promise.all(missing.map(async (id) => [id, await this.#describeAlone(id, filters)] as const));
    const outcomes = new Map(alone);
    return inputs.map(({ id }) => {
      const instance = found.get(id);
      return instance ? { output: [instance] } : (outcomes.get(id) ?? { output: [] });
    });
  }

  async #describeTogether(ids: string[], filters: Filters): Promise<ReadonlyMap<string, Instance>> {
    const found = new Map<string, Instance>();
    try {
      for await (const page of pages(this.#ec2.describeInstances, { InstanceIds: ids, Filters: filters })) {
        for (const instance of instancesOf(page)) found.set(instance.InstanceId ?? '', instance);
      }
    } catch {
      // Whoever is missing is asked for alone, and gets the error of that.
    }
    return found;
  }

  async #describeAlone(id: string, filters: Filters): Promise<Outcome<readonly Instance[]>> {
    try {
      return { output: instancesOf(await this.#ec2.describeInstances({ InstanceIds: [id], Filters: filters })) };
    } catch (error) {
      return { error };
    }
  }
}

/** The instances of an answer, whatever reservation they are in. */
export function instancesOf({
  Reservations = [],
}: {
  readonly Reservations?: readonly { readonly Instances?: Instance[] }[];
}): readonly Instance[] {
  return Reservations.flatMap(({ Instances = [] }) => Instances);
}
