import type { DescribePlacementGroupsRequest, PlacementGroup as Ec2PlacementGroup } from '@aws-sdk/client-ec2';
import type { Clock } from '../../../kube/clock.ts';
import type { EC2NodeClass, PlacementGroupSelector } from '../../apis/ec2-node-class.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import type { PlacementGroup, PlacementGroupProvider } from '../contracts.ts';
import { Turns } from '../turns.ts';

const LOOKUP_TTL_MS = 60_000;
/** Longer than EC2 is ever silent. */
const GROUP_TTL_MS = 24 * 3_600_000;
const SWEEP_MS = 60_000;

/**
 * The placement groups of node classes (aws-provider.md section 15), asked for once a minute. While EC2 does not answer, `get`
 * rejects, and `known` goes on with the last answer.
 */
export class Ec2PlacementGroupProvider implements PlacementGroupProvider {
  readonly #ec2: Pick<Ec2Api, 'describePlacementGroups'>;
  readonly #lookups: TtlCache<true>;
  readonly #groups: TtlCache<PlacementGroup>;
  readonly #turns = new Turns();

  constructor(deps: { readonly ec2: Pick<Ec2Api, 'describePlacementGroups'>; readonly clock: Clock }) {
    this.#ec2 = deps.ec2;
    this.#lookups = new TtlCache(deps.clock, { ttlMs: LOOKUP_TTL_MS, sweepMs: SWEEP_MS });
    this.#groups = new TtlCache(deps.clock, { ttlMs: GROUP_TTL_MS, sweepMs: SWEEP_MS });
  }

  async get(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<PlacementGroup | undefined> {
    const selector = nodeClass.spec.placementGroupSelector;
    if (!selector) return undefined;
    const key = keyOf(selector);
    if (this.#lookups.has(key)) return this.#groups.get(key);
    return await this.#turns.take(async () => {
      if (!this.#lookups.has(key)) await this.#lookUp(key, selector, signal);
      return this.#groups.get(key);
    });
  }

  known({ spec: { placementGroupSelector: selector } }: EC2NodeClass): PlacementGroup | undefined {
    return selector && this.#groups.get(keyOf(selector));
  }

  async #lookUp(key: string, selector: PlacementGroupSelector, signal: AbortSignal | undefined): Promise<void> {
    const { PlacementGroups: [first] = [] } = await this.#ec2
      .describePlacementGroups(requestFor(selector), signal ? { signal } : {})
      .catch((error: unknown) => {
        throw wrappedError('describing placement groups', error);
      });
    if (first) this.#groups.set(key, fromEc2(first));
    else this.#groups.delete(key);
    this.#lookups.set(key, true);
  }
}

const keyOf = ({ id, name }: PlacementGroupSelector): string => JSON.stringify([id, name]);

function requestFor({ id, name }: PlacementGroupSelector): DescribePlacementGroupsRequest {
  const Filters = [{ Name: 'state', Values: ['available'] }];
  if (id) return { Filters, GroupIds: [id] };
  return name ? { Filters, GroupNames: [name] } : { Filters };
}

function fromEc2(group: Ec2PlacementGroup): PlacementGroup {
  return {
    id: group.GroupId ?? '',
    name: group.GroupName ?? '',
    // No type says that it could be placed in any other way.
    strategy: group.Strategy as PlacementGroup['strategy'],
    partitionCount: group.PartitionCount ?? 0,
    ...(group.SpreadLevel ? { spreadLevel: group.SpreadLevel } : {}),
  };
}
