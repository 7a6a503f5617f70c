import type { AccessRule } from '../kube/access-rule.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { OperatorOptions } from './options.ts';
import { clusterAccess, leaseAccess } from './rbac.ts';

export interface AccessSubject {
  /** Where the controller runs. */
  readonly namespace: string;
  readonly serviceAccount: string;
}

interface RoleManifest extends KubeObject {
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
}

interface BindingManifest extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

export interface Manifest {
  readonly object: KubeObject;
  /** Why each rule of a role is there, in their order. */
  readonly reasons?: readonly string[];
}

const RBAC = 'rbac.authorization.k8s.io';
const API_VERSION = `${RBAC}/v1`;
const LABELS = { 'app.kubernetes.io/name': 'karpenter' };

/**
 * The service account of a controller with these options, and all that it may do: a cluster role, and a role for the
 * lease. `provider` is what its cloud provider does in the cluster beyond that.
 */
export function rbacManifests(
  { namespace, serviceAccount }: AccessSubject,
  options: OperatorOptions,
  provider: readonly AccessRule[],
): readonly Manifest[] {
  const name = serviceAccount;
  const cluster = { name, labels: LABELS };
  const inLeaseNamespace = { ...cluster, namespace: options.leaderElectionNamespace || namespace };
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const binding = (metadata: KubeObject['metadata'], kind: 'Role' | 'ClusterRole'): Manifest => {
    const roleRef = { apiGroup: RBAC, kind, name };
    const object: BindingManifest = { apiVersion: API_VERSION, kind: `${kind}Binding`, metadata, roleRef, subjects };
    return { object };
  };
  const ofLease = leaseAccess(options);
  return [
    { object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...cluster, namespace } } },
    role('ClusterRole', cluster, [...clusterAccess(options), ...provider]),
    binding(cluster, 'ClusterRole'),
    ...(ofLease.length > 0 ? [role('Role', inLeaseNamespace, ofLease), binding(inLeaseNamespace, 'Role')] : []),
  ];
}

function role(kind: 'Role' | 'ClusterRole', metadata: KubeObject['metadata'], access: readonly AccessRule[]): Manifest {
  const rules = access.map(({ group, resources, verbs, names }) => ({
    apiGroups: [group],
    resources,
    verbs,
    ...(names ? { resourceNames: names } : {}),
  }));
  const object: RoleManifest = { apiVersion: API_VERSION, kind, metadata, rules };
  return { object, reasons: access.map(({ why }) => why) };
}
