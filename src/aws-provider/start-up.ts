import { isIP } from 'node:net';
import type { Client } from '../kube/client.ts';
import type { KubeObject } from '../kube/objects.ts';
import { Services } from '../kube/resources.ts';
import type { Logger } from '../logging/logger.ts';
import type { AwsApis } from './aws-api/apis.ts';
import { errorCode } from './aws-api/error-code.ts';
import type { AwsOptions } from './aws-options.ts';
import { failed, StartUpError } from './start-up-error.ts';

export interface StartUpDeps {
  readonly apis: Pick<AwsApis, 'ec2' | 'eks' | 'arcZonalShift'>;
  readonly client: Client;
  readonly log: Logger;
  readonly options: AwsOptions;
  /** PEM text of the authority that signed the API server's certificate, as this program's own connection knows it. */
  readonly clusterCA: string;
}

/** What has to be known of the account and the cluster before anything can be launched. */
export interface Discovered {
  readonly clusterEndpoint: string;
  /** Base64 of PEM. */
  readonly caBundle: string;
  /** Absent in clusters that name their DNS service otherwise. */
  readonly kubeDNSIP?: string;
  /** Only when zonal shifts are to be followed. */
  readonly clusterArn?: string;
}

interface DnsService extends KubeObject {
  readonly spec?: { readonly clusterIP?: string };
}

/**
 * The checks and discoveries of upstream's start, in its order (aws-provider.md section 1).
 *
 * @throws {StartUpError}
 */
export async function startUp(deps: StartUpDeps, signal?: AbortSignal): Promise<Discovered> {
  const { options, log } = deps;
  await checkEc2(deps, signal);
  const clusterEndpoint = await clusterEndpointOf(deps, signal);
  log.debug('discovered cluster endpoint', { 'cluster-endpoint': clusterEndpoint });
  const kubeDNSIP = await kubeDNSIPOf(deps, signal);
  const clusterArn = options.enableZonalShift ? await zonalShiftArn(deps, signal) : undefined;
  return {
    clusterEndpoint,
    caBundle: options.clusterCABundle || Buffer.from(deps.clusterCA).toString('base64'),
    ...(kubeDNSIP === undefined ? {} : { kubeDNSIP }),
    ...(clusterArn === undefined ? {} : { clusterArn }),
  };
}

/** A dry run that EC2 would have carried out is a success. */
async function checkEc2({ apis }: StartUpDeps, signal?: AbortSignal): Promise<void> {
  try {
    await apis.ec2.describeInstanceTypes({ DryRun: true }, signalOf(signal));
  } catch (error) {
    if (errorCode(error) !== 'DryRunOperation') throw failed('ec2 api connectivity check failed', error);
  }
}

async function clusterEndpointOf({ apis, options }: StartUpDeps, signal?: AbortSignal): Promise<string> {
  if (options.clusterEndpoint !== '') return options.clusterEndpoint;
  try {
    const { cluster } = await apis.eks.describeCluster({ name: options.clusterName }, signalOf(signal));
    if (cluster?.endpoint) return cluster.endpoint;
  } catch (error) {
    throw failed('failed detecting cluster endpoint, failed to resolve cluster endpoint', error);
  }
  throw new StartUpError(`failed detecting cluster endpoint, EKS cluster ${options.clusterName} has none yet`);
}

/** That it can't be found is no reason to stop: nodes then use the DNS that their user data names. */
async function kubeDNSIPOf({ client, log }: StartUpDeps, signal?: AbortSignal): Promise<string | undefined> {
  try {
    const service: DnsService = await client.get(Services, { name: 'kube-dns', namespace: 'kube-system' }, signal);
    const ip = service.spec?.clusterIP ?? '';
    if (isIP(ip) === 0) throw new Error('parsing cluster IP');
    log.debug('discovered kube dns', { 'kube-dns-ip': ip });
    return ip;
  } catch (error) {
    log.debug(`unable to detect the IP of the kube-dns service, ${(error as Error).message}`);
    return undefined;
  }
}

async function zonalShiftArn({ apis, options }: StartUpDeps, signal?: AbortSignal): Promise<string> {
  const problem = `Unable to find Cluster ${options.clusterName} in Zonal Shift. Please check that the cluster is enabled for Zonal Shift and roles have appropriate permissions`;
  try {
    const { cluster } = await apis.eks.describeCluster({ name: options.clusterName }, signalOf(signal));
    if (!cluster?.arn) throw new Error('the cluster has no ARN');
    await apis.arcZonalShift.getManagedResource({ resourceIdentifier: cluster.arn }, signalOf(signal));
    return cluster.arn;
  } catch (error) {
    throw failed(problem, error);
  }
}

const signalOf = (signal: AbortSignal | undefined) => (signal ? { signal } : {});
