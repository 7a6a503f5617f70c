import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { Clock } from '../kube/clock.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import { causeOf, InsufficientCapacityError, NodeClaimNotFoundError, NodeClassNotReadyError } from './errors.ts';
import { ForwardingCloudProvider } from './forwarding-cloud-provider.ts';
import type { CloudProvider } from './types.ts';

export interface MeasuredCloudProviderDeps {
  readonly cloud: CloudProvider;
  readonly clock: Pick<Clock, 'now'>;
  readonly metrics: Metrics;
  /** The controller that calls now; empty when none does. */
  readonly controller: () => string;
}

/** In the order in which upstream looks for them. */
const ERRORS: readonly (abstract new (...args: never[]) => Error)[] = [
  InsufficientCapacityError,
  NodeClaimNotFoundError,
  NodeClassNotReadyError,
];

/** Measures how long a provider's calls take, and counts those that fail (karpenter-core.md section 11). */
export class MeasuredCloudProvider extends ForwardingCloudProvider {
  readonly #deps: MeasuredCloudProviderDeps;
  readonly createAmong?: NonNullable<CloudProvider['createAmong']>;

  constructor(deps: MeasuredCloudProviderDeps) {
    super(deps.cloud);
    this.#deps = deps;
    const createAmong = deps.cloud.createAmong?.bind(deps.cloud);
    if (!createAmong) return;
    this.createAmong = (claim, types, signal) => this.#measure('Create', () => createAmong(claim, types, signal));
  }

  override async create(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim> {
    return await this.#measure('Create', () => super.create(nodeClaim, signal));
  }

  override async delete(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<void> {
    await this.#measure('Delete', () => super.delete(nodeClaim, signal));
  }

  override async get(providerID: string, signal?: AbortSignal): Promise<NodeClaim> {
    return await this.#measure('Get', () => super.get(providerID, signal));
  }

  override async list(signal?: AbortSignal): Promise<readonly NodeClaim[]> {
    return await this.#measure('List', () => super.list(signal));
  }

  override async getInstanceTypes(nodePool: NodePool, signal?: AbortSignal): Promise<readonly InstanceType[]> {
    return await this.#measure('GetInstanceTypes', () => super.getInstanceTypes(nodePool, signal));
  }

  override async isDrifted(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<string> {
    return await this.#measure('IsDrifted', () => super.isDrifted(nodeClaim, signal));
  }

  async #measure<T>(method: string, call: () => Promise<T>): Promise<T> {
    const { clock, metrics, controller } = this.#deps;
    const labels = { controller: controller(), method, provider: this.name };
    const start = clock.now();
    try {
      return await call();
    } catch (error) {
      const kind = ERRORS.find((each) => causeOf(error, each));
      metrics.count('cloudprovider_errors_total', { ...labels, error: kind?.name ?? '' });
      throw error;
    } finally {
      metrics.observe('cloudprovider_duration_seconds', (clock.now() - start) / 1000, labels);
    }
  }
}
