import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import type { CloudProvider, NodeLifecycleHook, ProviderRules, RepairPolicy, SupportedNodeClass } from './types.ts';

/** A provider that hands everything but `createAmong` on to another; what its subclasses change is theirs to say. */
export class ForwardingCloudProvider implements CloudProvider {
  protected readonly cloud: CloudProvider;

  constructor(cloud: CloudProvider) {
    this.cloud = cloud;
  }

  get name(): string {
    return this.cloud.name;
  }

  get wellKnownLabels(): ReadonlySet<string> {
    return this.cloud.wellKnownLabels;
  }

  get restrictedLabelDomains(): ReadonlySet<string> {
    return this.cloud.restrictedLabelDomains;
  }

  get wellKnownValues(): NonNullable<ProviderRules['wellKnownValues']> {
    return this.cloud.wellKnownValues ?? {};
  }

  get wellKnownResources(): ReadonlySet<string> {
    return this.cloud.wellKnownResources ?? new Set();
  }

  get normalizedLabels(): Readonly<Record<string, string>> {
    return this.cloud.normalizedLabels ?? {};
  }

  get normalizedLabelValues(): NonNullable<ProviderRules['normalizedLabelValues']> {
    return this.cloud.normalizedLabelValues ?? {};
  }

  get reservationIDLabel(): ProviderRules['reservationIDLabel'] {
    return this.cloud.reservationIDLabel;
  }

  get reservedCapacityLabels(): ReadonlySet<string> {
    return this.cloud.reservedCapacityLabels ?? new Set();
  }

  get defaultTerminationGracePeriodMs(): ProviderRules['defaultTerminationGracePeriodMs'] {
    return this.cloud.defaultTerminationGracePeriodMs;
  }

  get unsupportedProvisioners(): ReadonlySet<string> {
    return this.cloud.unsupportedProvisioners ?? new Set();
  }

  get unsupportedTopologyKeys(): ReadonlySet<string> {
    return this.cloud.unsupportedTopologyKeys ?? new Set();
  }

  get registrationHooks(): readonly NodeLifecycleHook[] {
    return this.cloud.registrationHooks ?? [];
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.cloud.start?.(signal);
  }

  async create(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim> {
    return await this.cloud.create(nodeClaim, signal);
  }

  async delete(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<void> {
    await this.cloud.delete(nodeClaim, signal);
  }

  async get(providerID: string, signal?: AbortSignal): Promise<NodeClaim> {
    return await this.cloud.get(providerID, signal);
  }

  async list(signal?: AbortSignal): Promise<readonly NodeClaim[]> {
    return await this.cloud.list(signal);
  }

  async getInstanceTypes(nodePool: NodePool, signal?: AbortSignal): Promise<readonly InstanceType[]> {
    return await this.cloud.getInstanceTypes(nodePool, signal);
  }

  async isDrifted(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<string> {
    return await this.cloud.isDrifted(nodeClaim, signal);
  }

  repairPolicies(): readonly RepairPolicy[] {
    return this.cloud.repairPolicies();
  }

  supportedNodeClasses(): readonly SupportedNodeClass[] {
    return this.cloud.supportedNodeClasses();
  }
}
