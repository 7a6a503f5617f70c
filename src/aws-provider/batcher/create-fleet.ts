import type { CreateFleetInstance, CreateFleetRequest, CreateFleetResult } from '@aws-sdk/client-ec2';
import type { Logger } from '../../logging/logger.ts';
import type { Ec2Api } from '../aws-api/apis.ts';
import { Batcher, type BatcherDeps, type Outcome } from './batcher.ts';

export interface CreateFleetBatcherDeps extends BatcherDeps {
  readonly ec2: Pick<Ec2Api, 'createFleet'>;
  readonly log: Logger;
}

const TOO_FEW = 'too few instances returned';

/** Equal requests for one instance each become one request for as many. */
export class CreateFleetBatcher {
  readonly #deps: CreateFleetBatcherDeps;
  readonly #batcher: Batcher<CreateFleetRequest, CreateFleetResult>;

  constructor(deps: CreateFleetBatcherDeps) {
    this.#deps = deps;
    this.#batcher = new Batcher<CreateFleetRequest, CreateFleetResult>(deps, {
      name: 'create_fleet',
      idleMs: 35,
      maxMs: 1000,
      maxItems: 1000,
      // Requests for claims that are alike are built alike, down to the order of their lists.
      bucketOf: (input) => JSON.stringify(input),
      send: (inputs) => this.#send(inputs),
    });
  }

  /** @param input asks for one instance; its answer has one, or none and the fleet's errors. */
  async createFleet(input: CreateFleetRequest, signal?: AbortSignal): Promise<CreateFleetResult> {
    const count = input.TargetCapacitySpecification?.TotalTargetCapacity;
    if (count !== 1) throw new Error(`expected to receive a single instance only (instance-count=${count})`);
    return await this.#batcher.add(input, signal);
  }

  async #send(inputs: readonly CreateFleetRequest[]): Promise<readonly Outcome<CreateFleetResult>[]> {
    const { ec2, log } = this.#deps;
    const result = await ec2.createFleet({
      ...inputs[0],
      TargetCapacitySpecification: {
        ...inputs[0]?.TargetCapacitySpecification,
        TotalTargetCapacity: inputs.length,
      },
    } as CreateFleetRequest);
    const instances = singleInstances(result);
    for (const { InstanceIds } of instances.slice(inputs.length)) {
      const surplus = new Error('received more instances than requested, ignoring instance');
      log.error('received error while batching', surplus, { 'instance-id': InstanceIds?.[0] });
    }
    const errors = result.Errors?.length ? result.Errors : [{ ErrorCode: TOO_FEW, ErrorMessage: TOO_FEW }];
    return inputs.map((_, index) => {
      const instance = instances[index];
      return { output: instance ? { ...result, Instances: [instance] } : { Errors: errors } };
    });
  }
}

function singleInstances({ Instances = [] }: CreateFleetResult): readonly CreateFleetInstance[] {
  return Instances.flatMap((group) => (group.InstanceIds ?? []).map((id) => ({ ...group, InstanceIds: [id] })));
}
