import type { Resource } from '../kube/client.ts';
import type { Clock } from '../kube/clock.ts';
import { type Kubeconfig, readKubeconfig } from '../kube/kubeconfig.ts';
import {
  DaemonSets,
  Deployments,
  Jobs,
  Namespaces,
  NodeClaims,
  NodePools,
  Nodes,
  Pods,
  ReplicaSets,
  StatefulSets,
} from '../kube/resources.ts';
import { connect } from './cluster/connect.ts';
import type { ConnectionFlags } from './cluster/connection-flags.ts';
import { kubeconfigFiles } from './cluster/kubeconfig-sources.ts';
import { kindsOfType } from './node-class-kinds.ts';
import type { NodeClassType, ObjectType } from './object-reference.ts';

/** Milliseconds: a completion that takes longer is worth nothing. */
const BUDGET = 300;

/** What live names can be asked for. */
export type NameKind = ObjectType['name'] | 'namespace' | 'context';

const RESOURCES: Readonly<Record<Exclude<NameKind, 'context' | NodeClassType>, Resource>> = {
  pod: Pods,
  node: Nodes,
  nodeclaim: NodeClaims,
  nodepool: NodePools,
  deployment: Deployments,
  statefulset: StatefulSets,
  daemonset: DaemonSets,
  replicaset: ReplicaSets,
  job: Jobs,
  namespace: Namespaces,
};

export interface LiveNamesDeps {
  readonly flags: ConnectionFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

const isClass = (kind: NameKind): kind is NodeClassType => kindsOfType(kind).length > 0;

/** Names of things of the current cluster, pods as `ns/name`; none when it doesn't answer in time. Never throws. */
export async function liveNames(kind: NameKind, { flags, env, clock }: LiveNamesDeps): Promise<readonly string[]> {
  try {
    if (kind === 'context') {
      const config: Kubeconfig = await readKubeconfig(kubeconfigFiles(flags.kubeconfig, env));
      return [...config.contexts.keys()];
    }
    const { client } = await connect(flags, env, clock, 'kubectl-karpenter-completion');
    try {
      const signal = AbortSignal.timeout(BUDGET);
      const resources = isClass(kind) ? kindsOfType(kind) : [RESOURCES[kind]];
      // A cluster has the classes of one provider only, as a rule.
      const lists = await Promise.allSettled(resources.map((resource) => client.list(resource, {}, signal)));
      return lists
        .flatMap((list) => (list.status === 'fulfilled' ? list.value.items : []))
        .map(({ metadata: { namespace, name } }) => (namespace ? `${namespace}/${name}` : name));
    } finally {
      await client.close();
    }
  } catch {
    return [];
  }
}
