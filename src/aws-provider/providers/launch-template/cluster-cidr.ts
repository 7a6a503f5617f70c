import type { Logger } from '../../../logging/logger.ts';
import type { EksApi } from '../../aws-api/apis.ts';
import type { AwsOptions } from '../../aws-options.ts';

export interface ClusterCIDRDeps {
  readonly eks: Pick<EksApi, 'describeCluster'>;
  readonly options: Pick<AwsOptions, 'clusterName'>;
  readonly log: Logger;
}

/** The addresses of the cluster's services, which AL2023 nodes have to be told (aws-provider.md section 7). */
export class ClusterCIDR {
  readonly #deps: ClusterCIDRDeps;
  #value: string | undefined;

  constructor(deps: ClusterCIDRDeps) {
    this.#deps = deps;
  }

  /** Undefined until it is found. */
  get value(): string | undefined {
    return this.#value;
  }

  /** Asks EKS until it is found once. */
  async resolve(signal?: AbortSignal): Promise<void> {
    if (this.#value !== undefined) return;
    const { eks, options, log } = this.#deps;
    const { cluster } = await eks.describeCluster({ name: options.clusterName }, { signal });
    const network = cluster?.kubernetesNetworkConfig;
    const cidr = network?.serviceIpv4Cidr ?? network?.serviceIpv6Cidr;
    if (cidr === undefined) throw new Error('no CIDR found in DescribeCluster response');
    this.#value = cidr;
    log.debug('discovered cluster CIDR', { 'cluster-cidr': cidr });
  }
}
