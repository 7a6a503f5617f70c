import type { Cluster } from '@aws-sdk/client-eks';
import { type Finding, fail, pass, skipped, warn } from '../../doctor/finding.ts';
import { isDenied } from '../aws-api/permissions.ts';
import { versionProblem } from '../providers/version/supported-versions.ts';
import type { AwsDoctorDeps } from './deps.ts';
import { errorSummary } from './outcome.ts';

/** What EKS says of the cluster. */
export type EksAnswer = { readonly cluster: Cluster } | { readonly error: unknown } | undefined;

/** What a new node has to be told of the cluster: its endpoint, its authority; and whether its version is one that this Karpenter knows. */
export function clusterFindings(
  { options, cluster }: Pick<AwsDoctorDeps, 'options' | 'cluster'>,
  eks: EksAnswer,
): readonly Finding[] {
  return [
    ...nameFindings(options.clusterName),
    ...eksFindings(options.clusterName, eks),
    ...endpointFindings(options.clusterEndpoint, eks, cluster?.server),
    ...caFindings(options.clusterCABundle !== '', cluster?.hasCA),
    ...versionFindings(cluster?.version),
  ];
}

function nameFindings(clusterName: string): readonly Finding[] {
  if (clusterName !== '') return [];
  return [
    fail('cluster name', 'not given, and the controller needs it', { fix: ['--cluster-name NAME, or CLUSTER_NAME'] }),
  ];
}

function eksFindings(name: string, eks: EksAnswer): readonly Finding[] {
  if (!eks) return [];
  if ('cluster' in eks) {
    const { status, version, arn } = eks.cluster;
    const message = `${arn ?? name}, Kubernetes ${version}`;
    return status === undefined || status === 'ACTIVE'
      ? [pass('EKS cluster', message)]
      : [warn('EKS cluster', `${message}: it is ${status}`)];
  }
  if (isDenied(eks.error)) return [skipped('EKS cluster', 'EKS may not be asked: see the permissions')];
  const fix = [
    '--cluster-name with the name that EKS has for it, in this region and account',
    'outside EKS: --cluster-endpoint URL',
  ];
  return [fail('EKS cluster', `EKS does not tell of "${name}": ${errorSummary(eks.error)}`, { fix })];
}

/** A controller that works for one cluster and launches nodes for another makes machines that nobody sees. */
function endpointFindings(given: string, eks: EksAnswer, server: string | undefined): readonly Finding[] {
  const discovered = eks && 'cluster' in eks ? eks.cluster.endpoint : undefined;
  const endpoint = given || discovered;
  if (endpoint === undefined) {
    const fix = ['--cluster-endpoint URL, for a cluster that EKS does not know'];
    return [fail('cluster endpoint', 'not given, and EKS does not tell it', { fix })];
  }
  const found = `${endpoint}, ${given === '' ? 'by EKS' : 'as given'}`;
  const elsewhere = [discovered, server].find((other) => other !== undefined && hostOf(other) !== hostOf(endpoint));
  if (elsewhere === undefined) return [pass('cluster endpoint', found)];
  const whose = elsewhere === discovered ? 'EKS has' : 'the kubeconfig has';
  const message = `${found}, but ${whose} ${elsewhere}: new nodes would join there, if that is another cluster`;
  return [warn('cluster endpoint', message, { fix: ['--context of the cluster that --cluster-name names'] })];
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname.toLowerCase() : url);

function caFindings(given: boolean, known: boolean | undefined): readonly Finding[] {
  if (given) return [pass('cluster CA', 'as given')];
  if (known === undefined) return [];
  if (known) return [pass('cluster CA', "the kubeconfig's")];
  const message = 'unknown: the kubeconfig names none, so new nodes would not trust the API server';
  return [fail('cluster CA', message, { fix: ['--cluster-ca-bundle BASE64'] })];
}

function versionFindings(version: string | undefined): readonly Finding[] {
  if (version === undefined) return [];
  const [, minor] = /^v(\d+\.\d+)/.exec(version) ?? [];
  const problem = versionProblem(minor ?? version);
  return problem === undefined ? [] : [warn('Kubernetes version', problem)];
}
