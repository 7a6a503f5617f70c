import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { Clock } from '../../../kube/clock.ts';
import { jsonEqual } from '../../../kube/json-equal.ts';
import type { Node } from '../../../kube/objects.ts';
import type { Metrics } from '../../../metrics/metrics.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { zoneInfoOf } from '../../apis/ec2-node-class-facts.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import {
  type InstanceTypeProvider,
  InstanceTypesUnknownError,
  type OfferingProvider,
  type PlacementGroupProvider,
} from '../contracts.ts';
import { classKey } from './class-key.ts';
import { isCompatible } from './compatibility.ts';
import { describeTypes, describeZonesOfTypes } from './described-types.ts';
import { DiscoveredMemory } from './discovered-memory.ts';
import { type ResolveDeps, resolveInstanceType } from './resolve-instance-type.ts';
import { ResolvedTypes } from './resolved-types.ts';
import { tryKubelet } from './try-kubelet.ts';

const MIB = 2 ** 20;
const NOWHERE: ReadonlySet<string> = new Set();

export interface InstanceTypeProviderDeps extends ResolveDeps {
  readonly ec2: Pick<Ec2Api, 'describeInstanceTypes' | 'describeInstanceTypeOfferings'>;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'gauge'>;
  readonly offerings: OfferingProvider;
  readonly placementGroups: Pick<PlacementGroupProvider, 'known'>;
}

/** What EC2 sells, as core sees it (aws-provider.md sections 21 to 23). */
export class DefaultInstanceTypeProvider implements InstanceTypeProvider {
  readonly #deps: InstanceTypeProviderDeps;
  readonly #memory: DiscoveredMemory;
  readonly #resolved: ResolvedTypes;
  #infos: ReadonlyMap<string, InstanceTypeInfo> = new Map();
  #zonesOfTypes: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  #allZones: ReadonlySet<string> = NOWHERE;

  constructor(deps: InstanceTypeProviderDeps) {
    this.#deps = deps;
    this.#memory = new DiscoveredMemory(deps.clock);
    this.#resolved = new ResolvedTypes(deps.clock);
  }

  /** As EC2 describes them, by name. */
  get infos(): ReadonlyMap<string, InstanceTypeInfo> {
    return this.#infos;
  }

  async list(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<readonly InstanceType[]> {
    this.#requireZones(nodeClass);
    return await this.#withOfferings(this.#typesOf(nodeClass).list, nodeClass, signal);
  }

  async get(nodeClass: EC2NodeClass, name: string, signal?: AbortSignal): Promise<InstanceType> {
    this.#requireZones(nodeClass);
    const type = this.#typesOf(nodeClass).byName.get(name);
    const [found] = type ? await this.#withOfferings([type], nodeClass, signal) : [];
    if (!found) throw new Error(`instance type ${name} not found in cache`);
    return found;
  }

  filterForNodeClass(instanceTypes: readonly InstanceType[], nodeClass: EC2NodeClass): readonly InstanceType[] {
    const placementGroup = this.#deps.placementGroups.known(nodeClass);
    return instanceTypes.filter(({ name }) => {
      const info = this.#infos.get(name);
      return info !== undefined && isCompatible(info, nodeClass, placementGroup);
    });
  }

  tryKubeletExpressions(nodeClass: EC2NodeClass): void {
    this.#requireTypes();
    tryKubelet(this.#infos.values(), nodeClass, this.#deps);
  }

  async updateInstanceTypes(signal?: AbortSignal): Promise<void> {
    const infos = await describeTypes(this.#deps.ec2, signal);
    requireSome(infos, this.#infos, 'instance types');
    if (sameTypes(infos, this.#infos)) return;
    this.#infos = infos;
    this.#resolved.flush();
    this.#deps.log.debug('discovered instance types', { count: infos.size });
  }

  async updateInstanceTypeOfferings(signal?: AbortSignal): Promise<void> {
    const { ec2, log } = this.#deps;
    const zonesOfTypes = await describeZonesOfTypes(ec2, signal);
    requireSome(zonesOfTypes, this.#zonesOfTypes, 'instance type offerings');
    if (sameZones(zonesOfTypes, this.#zonesOfTypes)) return;
    this.#zonesOfTypes = zonesOfTypes;
    this.#resolved.flush();
    log.debug('discovered offerings for instance types', { 'instance-type-count': zonesOfTypes.size });
    const allZones = new Set([...zonesOfTypes.values()].flatMap((zones) => [...zones]));
    if (sameSet(allZones, this.#allZones)) return;
    this.#allZones = allZones;
    log.debug('discovered zones', { zones: [...allZones].sort() });
  }

  updateCapacityFromNode(node: Node, nodeClaim: NodeClaim, nodeClass: EC2NodeClass): void {
    const discovery = this.#memory.update(node, nodeClaim, nodeClass);
    if (!discovery?.isNews) return;
    this.#resolved.discovered(discovery);
    this.#deps.log.debug('updating discovered capacity cache', {
      'memory-capacity': node.status?.capacity?.memory,
      'instance-type': discovery.instanceType,
    });
  }

  #requireTypes(): void {
    if (this.#infos.size === 0) throw new InstanceTypesUnknownError();
  }

  #requireZones(nodeClass: EC2NodeClass): void {
    this.#requireTypes();
    if (this.#zonesOfTypes.size === 0) throw new Error('no instance types offerings found');
    if (zoneInfoOf(nodeClass).length === 0) throw new Error('no subnets found');
  }

  #typesOf(nodeClass: EC2NodeClass) {
    return this.#resolved.of(nodeClass, () => [...this.#infos.values()].map((info) => this.#resolve(info, nodeClass)));
  }

  /** Fails with all types when a setting can't be computed for one: such a class is broken. */
  #resolve(info: InstanceTypeInfo, nodeClass: EC2NodeClass): InstanceType {
    const { metrics } = this.#deps;
    const name = info.InstanceType ?? '';
    const type = resolveInstanceType(this.#deps, info, this.#zonesOfTypes.get(name) ?? NOWHERE, nodeClass);
    const memory = this.#memory.get(name, classKey(nodeClass).amis);
    const labels = { instance_type: name };
    metrics.gauge('cloudprovider_instance_type_cpu_cores', info.VCpuInfo?.DefaultVCpus ?? 0, labels);
    metrics.gauge('cloudprovider_instance_type_memory_bytes', (info.MemoryInfo?.SizeInMiB ?? 0) * MIB, labels);
    return memory === undefined ? type : { ...type, capacity: { ...type.capacity, memory } };
  }

  async #withOfferings(types: readonly InstanceType[], nodeClass: EC2NodeClass, signal?: AbortSignal) {
    return await this.#deps.offerings.injectOfferings(types, this.#infos, nodeClass, this.#allZones, signal);
  }
}

type Infos = ReadonlyMap<string, InstanceTypeInfo>;
type Zones = ReadonlyMap<string, ReadonlySet<string>>;

/** EC2 does not stop to sell anything at all: what was known stays, and it is asked again soon. */
function requireSome(found: ReadonlyMap<string, unknown>, known: ReadonlyMap<string, unknown>, what: string): void {
  if (found.size === 0 && known.size > 0) throw new Error(`EC2 tells of no ${what} any more`);
}

const sameTypes = (a: Infos, b: Infos): boolean =>
  a.size === b.size && [...a].every(([name, info]) => jsonEqual(info, b.get(name)));

const sameZones = (a: Zones, b: Zones): boolean =>
  a.size === b.size && [...a].every(([type, zones]) => sameSet(zones, b.get(type) ?? NOWHERE));

const sameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => a.size === b.size && a.isSubsetOf(b);
