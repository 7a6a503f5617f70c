import { CORE_DEFINITIONS } from '../src/apis/crds/index.ts';
import type { Connection } from '../src/cli/cluster/connect.ts';
import { kubectlFinding } from '../src/cli/doctor/kubectl-findings.ts';
import { NODE_CLASS_KINDS } from '../src/cli/node-class-kinds.ts';
import { UserError } from '../src/cli/user-error.ts';
import { UPSTREAM_VERSION } from '../src/cli/version.ts';
import { definitionFindings } from '../src/doctor/definitions.ts';
import { type Finding, fail, pass, skipped } from '../src/doctor/finding.ts';
import { otherControllersFindings } from '../src/doctor/other-controllers.ts';
import { poolFindings } from '../src/doctor/pools.ts';
import { rightsFindings } from '../src/doctor/rights.ts';
import type { Check } from '../src/doctor/run-checks.ts';
import { DEFAULT_LEASE_NAMESPACE } from '../src/operator/leader-election.ts';
import type { OperatorOptions } from '../src/operator/options.ts';
import { clusterAccess, leaseAccess } from '../src/operator/rbac.ts';
import type { ControllerProvider, Environment } from './controller-providers.ts';

/** A cluster that has answered. */
export interface ReachedCluster extends Connection {
  /** `v1.36.3`. */
  readonly version: string;
}

/** What was found on the way to the cluster, and the cluster if it is there. */
export interface Reached {
  readonly findings: readonly Finding[];
  readonly cluster?: ReachedCluster;
}

/** Goes to the cluster of the flags; never throws for what keeps it away, unless the signal aborts. */
export async function reachCluster(open: () => Promise<Connection>, signal: AbortSignal): Promise<Reached> {
  let connection: Connection;
  try {
    connection = await open();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { message, because, hints } = error;
    // There are no saved objects here to read instead.
    const fix = hints.filter((hint) => !hint.startsWith('--from'));
    return { findings: [fail('context', message, { details: because, fix })] };
  }
  const { access, client, context } = connection;
  const { server } = access;
  const found = pass('context', context === undefined ? `in the cluster, ${server}` : `${context}, ${server}`);
  try {
    const { gitVersion } = JSON.parse(await client.raw('/version', signal)) as { readonly gitVersion: string };
    const cluster = { ...connection, version: gitVersion };
    return { findings: [found, pass('API server', `Kubernetes ${gitVersion}`)], cluster };
  } catch (error) {
    await client.close();
    const why = error instanceof Error ? error.message : String(error);
    const fix = ['kubectl cluster-info', 'kubectl karpenter up --local, if it is a local cluster that was stopped'];
    return { findings: [found, fail('API server', `no answer: ${why}`, { fix })] };
  }
}

export interface ClusterChecksInput {
  readonly cluster: ReachedCluster | undefined;
  readonly env: Environment;
  readonly options: OperatorOptions;
  readonly provider: ControllerProvider | undefined;
  /** The words of `--provider`, for the commands that are offered. */
  readonly providerFlag: string;
  /** Where the controller would be, as far as the flags say. */
  readonly namespace: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

const AREA = 'Cluster';

/** What is asked of the cluster, and of the kubectl that talks to it. */
export function clusterChecks(input: ClusterChecksInput): readonly Check[] {
  const { cluster, env, options, provider, providerFlag } = input;
  const kubectl: Check = {
    area: 'This machine',
    name: 'kubectl',
    run: async (signal) => [await kubectlFinding({ path: env.PATH, env, serverVersion: cluster?.version }, signal)],
  };
  const check = (name: string, run: Check['run']): Check => ({ area: AREA, name, run });
  if (!cluster) {
    const left = 'definitions, rights, other controllers and NodePools: there is no cluster to ask';
    return [kubectl, check('the rest', async () => [skipped('the rest', left)])];
  }
  const { client } = cluster;
  const lease = leaseOf(input);
  const print = (what: string) => `kubectl karpenter controller${providerFlag} --print-${what} | kubectl apply -f -`;
  return [
    kubectl,
    check('definitions', (signal) => {
      const wanted = neededDefinitions(provider?.definitions ?? CORE_DEFINITIONS, options);
      return definitionFindings({ client, wanted, version: UPSTREAM_VERSION, fix: [print('crds')] }, signal);
    }),
    check('rights', (signal) => {
      const needed = [
        { rules: [...clusterAccess(options), ...(provider?.access ?? [])] },
        { rules: leaseAccess(options), namespace: lease?.namespace ?? DEFAULT_LEASE_NAMESPACE },
      ];
      const fix = [
        `${print(`rbac -n ${lease?.namespace ?? DEFAULT_LEASE_NAMESPACE}`)}, for a service account`,
        '--as system:serviceaccount:NAMESPACE:NAME, to ask for the rights of one',
      ];
      return rightsFindings({ client, needed, fix }, signal);
    }),
    check('other controllers', (signal) => otherControllersFindings({ client, lease, now: input.now }, signal)),
    check('NodePools', (signal) =>
      poolFindings({ client, gates: options.featureGates, nodeClasses: NODE_CLASS_KINDS }, signal),
    ),
  ];
}

function leaseOf({ options, cluster, namespace }: ClusterChecksInput) {
  if (options.disableLeaderElection) return undefined;
  const own = namespace ?? (cluster?.context === undefined ? cluster?.access.namespace : undefined);
  return {
    name: options.leaderElectionName,
    namespace: options.leaderElectionNamespace || own || DEFAULT_LEASE_NAMESPACE,
  };
}

/** Kinds behind a gate count only with it. */
function neededDefinitions(all: ControllerProvider['definitions'], { featureGates }: OperatorOptions) {
  const optional: Readonly<Record<string, boolean>> = {
    NodeOverlay: featureGates.NodeOverlay,
    CapacityBuffer: featureGates.CapacityBuffer,
  };
  return all.filter(({ spec }) => optional[spec.names.kind] ?? true);
}
