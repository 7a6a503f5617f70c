import type { DescribeSpotPriceHistoryRequest } from '@aws-sdk/client-ec2';
import type { Filter, GetProductsRequest } from '@aws-sdk/client-pricing';
import type { Clock } from '../../../kube/clock.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { Ec2Api, PricingApi } from '../../aws-api/apis.ts';
import { pages } from '../../aws-api/pages.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import { ChangeMonitor } from '../../cache/change-monitor.ts';
import type { ListPrices } from '../../data/ec2-data.ts';
import type { PricingProvider } from '../contracts.ts';
import { onDemandPriceOf, parsePrice } from './price-list.ts';
import { currencyOf, initialPrices, isGovRegion } from './regions.ts';

export interface PricingProviderDeps {
  readonly ec2: Pick<Ec2Api, 'describeSpotPriceHistory'>;
  readonly pricing: PricingApi;
  readonly clock: Clock;
  readonly log: Logger;
  readonly region: string;
  /** No pricing API can be reached from there. */
  readonly isolatedVPC: boolean;
  /** Of the regions that have some; used until prices are refreshed. */
  readonly listPrices: (region: string) => Pick<ListPrices, 'prices'> | undefined;
}

const SERVICE = 'AmazonEC2';
const PRODUCTS_A_PAGE = 100;
const SPOT_PRICES_A_PAGE = 2000;
const SHARED = { tenancy: 'Shared', productFamily: 'Compute Instance' };
const BARE_METAL = { tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' };

/**
 * What instances cost: a table that comes with the program, then what AWS says. Prices that a refresh no longer has stay
 * (aws-provider.md section 24).
 */
export class Ec2PricingProvider implements PricingProvider {
  readonly #deps: PricingProviderDeps;
  readonly #changes: ChangeMonitor;
  readonly #initial: ReadonlyMap<string, number>;
  #onDemand: ReadonlyMap<string, number>;
  /** By instance type and zone; undefined until the first refresh. */
  #spot: ReadonlyMap<string, ReadonlyMap<string, number>> | undefined;
  #version = 0;

  constructor(deps: PricingProviderDeps) {
    this.#deps = deps;
    this.#changes = new ChangeMonitor(deps.clock);
    this.#initial = initialPrices(deps.listPrices, deps.region);
    this.#onDemand = this.#initial;
  }

  get version(): number {
    return this.#version;
  }

  instanceTypes(): readonly string[] {
    return [...new Set([...this.#onDemand.keys(), ...this.#initial.keys(), ...(this.#spot?.keys() ?? [])])];
  }

  onDemandPrice(instanceType: string): number | undefined {
    return this.#onDemand.get(instanceType);
  }

  /** The on-demand price of the table until spot prices are known: it puts types in about the same order. */
  spotPrice(instanceType: string, zone: string): number | undefined {
    return this.#spot ? this.#spot.get(instanceType)?.get(zone) : this.#initial.get(instanceType);
  }

  async updateOnDemandPricing(signal?: AbortSignal): Promise<void> {
    const reason = this.#noPriceList();
    if (reason) {
      if (this.#changes.hasChanged('on-demand-prices', null)) this.#deps.log.debug(reason);
      return;
    }
    const [shared, bareMetal] = await Promise.all([
      this.#productPrices(SHARED, signal),
      this.#productPrices(BARE_METAL, signal),
    ]).catch((error: unknown) => {
      throw wrappedError('retrieving on-demand pricing data', error);
    });
    if (shared.size === 0 || bareMetal.size === 0) throw new Error('no on-demand pricing found');
    this.#onDemand = new Map([...this.#onDemand, ...shared, ...bareMetal]);
    if (this.#changes.hasChanged('on-demand-prices', [...this.#onDemand])) {
      this.#version++;
      this.#deps.log.debug('updated on-demand pricing', { 'instance-type-count': this.#onDemand.size });
    }
  }

  async updateSpotPricing(signal?: AbortSignal): Promise<void> {
    const prices = new Map<string, Map<string, number>>();
    for (const [type, zones] of this.#spot ?? []) prices.set(type, new Map(zones));
    const found = new Set<string>();
    for await (const { type, zone, price } of this.#spotPrices(signal)) {
      const zones = prices.get(type) ?? new Map<string, number>();
      zones.set(zone, price);
      prices.set(type, zones);
      found.add(`${type} ${zone}`);
    }
    if (found.size === 0) throw new Error('no spot pricing found');
    this.#spot = prices;
    if (
      this.#changes.hasChanged(
        'spot-prices',
        [...prices].map(([type, zones]) => [type, ...zones]),
      )
    ) {
      this.#version++;
      this.#deps.log.debug('updated spot pricing with instance types and offerings', {
        'instance-type-count': new Set([...this.#initial.keys(), ...prices.keys()]).size,
        'offering-count': found.size,
      });
    }
  }

  /** Why on-demand prices are not asked for, if they aren't. */
  #noPriceList(): string | undefined {
    if (this.#deps.isolatedVPC) {
      return 'running in an isolated VPC, on-demand pricing information will not be updated';
    }
    if (isGovRegion(this.#deps.region)) {
      return "pricing APIs aren't available in AWS GovCloud regions, on-demand pricing information will not be updated";
    }
    return undefined;
  }

  async #productPrices(which: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Map<string, number>> {
    const { pricing, region, log } = this.#deps;
    const fields = {
      regionCode: region,
      serviceCode: SERVICE,
      preInstalledSw: 'NA',
      operatingSystem: 'Linux',
      capacitystatus: 'Used',
      marketoption: 'OnDemand',
      ...which,
    };
    const Filters = Object.entries(fields).map(([Field, Value]): Filter => ({ Field, Value, Type: 'TERM_MATCH' }));
    const input: GetProductsRequest = { ServiceCode: SERVICE, Filters, MaxResults: PRODUCTS_A_PAGE };
    const call = (page: GetProductsRequest) => pricing.getProducts(page, callOptions(signal));
    const prices = new Map<string, number>();
    for await (const { PriceList = [] } of pages(call, input)) {
      for (const product of PriceList) {
        try {
          const price = onDemandPriceOf(String(product), currencyOf(region));
          if (price) prices.set(...price);
        } catch (error) {
          log.error('failed unmarshaling pricing data', error);
        }
      }
    }
    return prices;
  }

  async *#spotPrices(signal?: AbortSignal) {
    const { ec2, clock, log } = this.#deps;
    const input: DescribeSpotPriceHistoryRequest = {
      ProductDescriptions: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'],
      // The newest price of each offering.
      StartTime: new Date(clock.now()),
      MaxResults: SPOT_PRICES_A_PAGE,
    };
    const call = (page: DescribeSpotPriceHistoryRequest) => ec2.describeSpotPriceHistory(page, callOptions(signal));
    try {
      for await (const { SpotPriceHistory = [] } of pages(call, input)) {
        for (const record of SpotPriceHistory) {
          const price = parsePrice(record.SpotPrice);
          if (price === undefined) log.debug(`unable to parse price record ${JSON.stringify(record)}`);
          else if (record.Timestamp && record.InstanceType) {
            yield { type: record.InstanceType, zone: record.AvailabilityZone ?? '', price };
          }
        }
      }
    } catch (error) {
      throw wrappedError('retrieving spot pricing data', error);
    }
  }
}

const callOptions = (signal: AbortSignal | undefined) => (signal ? { signal } : {});
