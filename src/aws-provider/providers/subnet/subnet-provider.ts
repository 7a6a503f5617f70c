import type { CreateFleetRequest, CreateFleetResult, Subnet as Ec2Subnet, Filter } from '@aws-sdk/client-ec2';
import type { Clock } from '../../../kube/clock.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import type { EC2NodeClass, SubnetSelectorTerm } from '../../apis/ec2-node-class.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { pages } from '../../aws-api/pages.ts';
import { tagFilters } from '../../aws-api/tags.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { AwsOptions } from '../../aws-options.ts';
import { ChangeMonitor } from '../../cache/change-monitor.ts';
import { generationKey } from '../../cache/generation-key.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import type { SubnetForLaunch, SubnetProvider } from '../contracts.ts';
import { Turns } from '../turns.ts';
import { fewestPods } from './fewest-pods.ts';
import { FreeAddresses } from './free-addresses.ts';

export interface SubnetProviderDeps {
  readonly ec2: Pick<Ec2Api, 'describeSubnets'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: Pick<AwsOptions, 'subnetRefreshIntervalMs'>;
}

const SWEEP_MS = 60_000;
const PAGE_SIZE = 500;

/** The subnets that a class selects, and how many addresses each has left (aws-provider.md section 11). */
export class DefaultSubnetProvider implements SubnetProvider {
  readonly #deps: SubnetProviderDeps;
  readonly #cache: TtlCache<readonly Ec2Subnet[]>;
  readonly #addresses: FreeAddresses;
  readonly #changes: ChangeMonitor;
  readonly #turns = new Turns();

  constructor(deps: SubnetProviderDeps) {
    const { clock, options } = deps;
    this.#deps = deps;
    this.#cache = new TtlCache(clock, { ttlMs: options.subnetRefreshIntervalMs, sweepMs: SWEEP_MS });
    this.#addresses = new FreeAddresses(clock, options.subnetRefreshIntervalMs);
    this.#changes = new ChangeMonitor(clock);
  }

  list(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<readonly Ec2Subnet[]> {
    return this.#turns.take(() => this.#list(nodeClass, signal));
  }

  zonalSubnetsForLaunch(
    { spec, status }: EC2NodeClass,
    instanceTypes: readonly InstanceType[],
    capacityType: string,
  ): ReadonlyMap<string, SubnetForLaunch> {
    const subnets = status?.subnets ?? [];
    if (subnets.length === 0) {
      throw new Error(`no subnets matched selector ${JSON.stringify(spec.subnetSelectorTerms)}`);
    }
    const chosen = new Map<string, SubnetForLaunch>();
    for (const { id, zone, zoneID = '' } of subnets) {
      const best = chosen.get(zone);
      if (best && this.#addresses.left(best.id) >= this.#addresses.left(id)) continue;
      chosen.set(zone, { id, zone, zoneID, availableIPAddressCount: this.#addresses.described(id) ?? 0 });
    }
    for (const { id, zone } of chosen.values()) {
      this.#addresses.take(id, fewestPods(instanceTypes, capacityType, zone));
    }
    return chosen;
  }

  updateInflightIPs(
    request: CreateFleetRequest,
    result: CreateFleetResult | undefined,
    instanceTypes: readonly InstanceType[],
    subnets: readonly SubnetForLaunch[],
    capacityType: string,
  ): void {
    const asked = new Set(
      (request.LaunchTemplateConfigs ?? []).flatMap(({ Overrides = [] }) => Overrides.map(({ SubnetId }) => SubnetId)),
    );
    const used = new Set(
      (result?.Instances ?? []).map(
        ({ LaunchTemplateAndOverrides }) => LaunchTemplateAndOverrides?.Overrides?.SubnetId,
      ),
    );
    for (const { id, zone, availableIPAddressCount } of subnets) {
      if (!asked.has(id) || used.has(id)) continue;
      // Described anew meanwhile: nothing is taken off that number.
      if (this.#addresses.described(id) !== availableIPAddressCount) continue;
      this.#addresses.giveBack(id, fewestPods(instanceTypes, capacityType, zone));
    }
  }

  updateICEdSubnet(subnetID: string): void {
    this.#addresses.set(subnetID, 0);
  }

  async #list(nodeClass: EC2NodeClass, signal: AbortSignal | undefined): Promise<readonly Ec2Subnet[]> {
    const key = generationKey(nodeClass);
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const subnets = await this.#describe(nodeClass.spec.subnetSelectorTerms, signal);
    this.#cache.set(key, subnets);
    const found = subnets
      .map(({ SubnetId: id = '', AvailabilityZone: zone, AvailabilityZoneId: zoneID }) => ({ id, zone, zoneID }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    if (
      this.#changes.hasChanged(
        nodeClass.metadata.name,
        found.map(({ id }) => id),
      )
    ) {
      this.#deps.log.debug('discovered subnets', { subnets: found });
    }
    return subnets;
  }

  async #describe(
    terms: readonly SubnetSelectorTerm[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Ec2Subnet[]> {
    const call: Ec2Api['describeSubnets'] = (input) => this.#deps.ec2.describeSubnets(input, { signal });
    const found = new Map<string, Ec2Subnet>();
    for (const Filters of queriesOf(terms)) {
      try {
        for await (const { Subnets = [] } of pages(call, { Filters, MaxResults: PAGE_SIZE })) {
          for (const subnet of Subnets) {
            found.set(subnet.SubnetId ?? '', subnet);
            this.#addresses.set(subnet.SubnetId ?? '', subnet.AvailableIpAddressCount ?? 0);
          }
        }
      } catch (error) {
        throw wrappedError(`describing subnets with filters ${JSON.stringify(Filters)}`, error);
      }
    }
    return [...found.values()];
  }
}

/** One query for each term of tags, and one for all ids. */
function queriesOf(terms: readonly SubnetSelectorTerm[]): Filter[][] {
  const ids = terms.flatMap(({ id }) => id || []);
  const tagged = terms.filter(({ id }) => !id);
  return [
    ...tagged.map(({ tags = {} }) => tagFilters(tags)),
    ...(ids.length > 0 ? [[{ Name: 'subnet-id', Values: ids }]] : []),
  ];
}
