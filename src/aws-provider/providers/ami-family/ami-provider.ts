import type { Clock } from '../../../kube/clock.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { pages } from '../../aws-api/pages.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { AwsOptions } from '../../aws-options.ts';
import { generationKey } from '../../cache/generation-key.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import type { Ami, AmiProvider } from '../contracts.ts';
import { Turns } from '../turns.ts';
import { type ImageQueriesDeps, imageQueries } from './image-queries.ts';
import { describeImagesInput, type ImageQuery } from './image-query.ts';
import { NewestImages } from './newest-images.ts';

const SWEEP_MS = 60_000;

export interface AmiProviderDeps extends ImageQueriesDeps {
  readonly ec2: Pick<Ec2Api, 'describeImages'>;
  readonly clock: Clock;
  readonly options: Pick<AwsOptions, 'amiRefreshIntervalMs'>;
}

/** Finds the images that a class selects (aws-provider.md section 9). */
export class DefaultAmiProvider implements AmiProvider {
  readonly #deps: AmiProviderDeps;
  /** By class and generation, so that an edited class is looked at anew. */
  readonly #cache: TtlCache<readonly Ami[]>;
  readonly #turns = new Turns();

  constructor(deps: AmiProviderDeps) {
    this.#deps = deps;
    this.#cache = new TtlCache(deps.clock, { ttlMs: deps.options.amiRefreshIntervalMs, sweepMs: SWEEP_MS });
  }

  list(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<readonly Ami[]> {
    return this.#turns.take(() => this.#list(nodeClass, signal));
  }

  async #list(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<readonly Ami[]> {
    const queries = await imageQueries(this.#deps, nodeClass, signal).catch((cause: unknown) => {
      throw wrappedError('getting AMI queries', cause);
    });
    const key = generationKey(nodeClass);
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const amis = await this.#newest(queries, signal).catch((cause: unknown) => {
      throw wrappedError('describing images', cause);
    });
    this.#cache.set(key, amis);
    return amis;
  }

  async #newest(queries: readonly ImageQuery[], signal?: AbortSignal): Promise<readonly Ami[]> {
    const { ec2, clock } = this.#deps;
    const newest = new NewestImages(clock.now());
    for (const query of queries) {
      const call = (input: Parameters<typeof ec2.describeImages>[0]) => ec2.describeImages(input, { signal });
      for await (const { Images = [] } of pages(call, describeImagesInput(query))) {
        for (const image of Images) newest.add(image, query.variants.get(image.ImageId ?? ''));
      }
    }
    return newest.list();
  }
}
