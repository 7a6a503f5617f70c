import type { AccessRule } from '../kube/access-rule.ts';
import type { FeatureGates, OperatorOptions } from './options.ts';

const KARPENTER = 'karpenter.sh';
const BUFFERS = 'autoscaling.x-k8s.io';

/** What the controller does in the whole cluster, whatever is switched on and whatever the provider. */
const ALWAYS: readonly AccessRule[] = [
  {
    group: KARPENTER,
    resources: ['nodepools', 'nodeclaims'],
    verbs: ['list', 'watch'],
    why: 'pools say which nodes may be made, claims are the nodes made so far',
  },
  {
    group: KARPENTER,
    resources: ['nodeclaims'],
    verbs: ['get'],
    why: 'before a claim is marked, launched, forgotten or made again it is read afresh, since the cache may lag behind',
  },
  {
    group: KARPENTER,
    resources: ['nodeclaims'],
    verbs: ['create', 'delete'],
    why: 'provisioning creates claims; disruption, expiration, repair and garbage collection delete them',
  },
  {
    group: KARPENTER,
    resources: ['nodeclaims'],
    verbs: ['patch'],
    why: 'finalizer, launched labels, hash of the pool, deadline of the termination',
  },
  {
    group: KARPENTER,
    resources: ['nodeclaims/status'],
    verbs: ['patch'],
    why: 'conditions, provider id, capacity, time of the last pod event',
  },
  {
    group: KARPENTER,
    resources: ['nodepools'],
    verbs: ['patch'],
    why: 'annotations that hold the hash of the template',
  },
  {
    group: KARPENTER,
    resources: ['nodepools/status'],
    verbs: ['patch'],
    why: 'conditions, and the resources and number of nodes in use',
  },
  {
    group: KARPENTER,
    resources: ['nodepools/finalizers', 'nodeclaims/finalizers'],
    verbs: ['update'],
    why:
      'claims block the deletion of their pool, nodes that of their claim; clusters with the admission plugin ' +
      'OwnerReferencesPermissionEnforcement (OpenShift) ask for this right',
    uncalled: true,
  },
  {
    group: '',
    resources: ['nodes'],
    verbs: ['list', 'watch'],
    why: 'what is there already, and whether it is ready',
  },
  { group: '', resources: ['nodes'], verbs: ['get'], why: 'a node is read afresh before it is tainted' },
  {
    group: '',
    resources: ['nodes'],
    verbs: ['patch'],
    why: 'labels and taints at registration and initialization, the disruption taint, the finalizer',
  },
  { group: '', resources: ['nodes'], verbs: ['delete'], why: 'a claim that goes takes its node with it' },
  {
    group: '',
    resources: ['pods'],
    verbs: ['list', 'watch'],
    why: 'pending pods ask for nodes, running ones fill them',
  },
  { group: '', resources: ['pods/eviction'], verbs: ['create'], why: 'drains respect disruption budgets' },
  {
    group: '',
    resources: ['pods'],
    verbs: ['delete'],
    why: 'at the end of a termination grace period pods go without eviction',
  },
  {
    group: '',
    resources: ['events'],
    verbs: ['create', 'patch'],
    why: 'what users see in kubectl describe; repeated ones are counted',
  },
  {
    group: '',
    resources: ['namespaces'],
    verbs: ['list', 'watch'],
    why: 'namespaceSelectors of pod affinity terms',
  },
  {
    group: '',
    resources: ['limitranges'],
    verbs: ['list', 'watch'],
    why: 'default requests of pods that daemon sets are going to have',
  },
  {
    group: '',
    resources: ['persistentvolumeclaims', 'persistentvolumes'],
    verbs: ['list', 'watch'],
    why: 'zones that volumes are bound to, and volumes that a node can still attach',
  },
  {
    group: 'storage.k8s.io',
    resources: ['storageclasses', 'csinodes'],
    verbs: ['list', 'watch'],
    why: 'zones that volumes to come may be in, and how many volumes a node takes',
  },
  {
    group: 'storage.k8s.io',
    resources: ['volumeattachments'],
    verbs: ['list', 'watch'],
    why: 'a node is kept until its volumes are detached',
  },
  { group: 'apps', resources: ['daemonsets'], verbs: ['list', 'watch'], why: 'their pods need room on every node' },
  {
    group: 'policy',
    resources: ['poddisruptionbudgets'],
    verbs: ['list', 'watch'],
    why: 'nodes whose pods can not be evicted are not disrupted',
  },
];

/** What a feature gate adds when it is on. */
const GATED: Partial<Record<keyof FeatureGates, readonly AccessRule[]>> = {
  NodeOverlay: [
    {
      group: KARPENTER,
      resources: ['nodeoverlays'],
      verbs: ['list', 'watch'],
      why: 'NodeOverlay: prices and resources that replace those of the provider',
    },
    {
      group: KARPENTER,
      resources: ['nodeoverlays/status'],
      verbs: ['patch'],
      why: 'NodeOverlay: whether an overlay is valid',
    },
  ],
  CapacityBuffer: [
    {
      group: BUFFERS,
      resources: ['capacitybuffers'],
      verbs: ['list', 'watch'],
      why: 'CapacityBuffer: room to keep free',
    },
    {
      group: BUFFERS,
      resources: ['capacitybuffers/status'],
      verbs: ['patch'],
      why: 'CapacityBuffer: how large a buffer is, and whether it is provided',
    },
    {
      group: '',
      resources: ['podtemplates'],
      verbs: ['get', 'list', 'watch'],
      why: 'CapacityBuffer: what a buffer that names a template keeps room for',
    },
    {
      group: 'apps',
      resources: ['deployments', 'replicasets', 'statefulsets'],
      verbs: ['get'],
      why: 'CapacityBuffer: pods and replicas of the workload that a buffer names',
    },
  ],
};

/** What following requests for devices adds. */
const DRA: AccessRule = {
  group: 'resource.k8s.io',
  resources: ['resourceslices'],
  verbs: ['list', 'watch'],
  why: 'DRA: a node is initialized once the drivers that it was made for have published its devices',
};

/** Rules for the whole cluster, for what is on. */
export function clusterAccess({
  featureGates,
  ignoreDRARequests,
}: Pick<OperatorOptions, 'featureGates' | 'ignoreDRARequests'>): readonly AccessRule[] {
  const gated = Object.entries(GATED).filter(([gate]) => featureGates[gate as keyof FeatureGates]);
  return [...ALWAYS, ...gated.flatMap(([, rules]) => rules), ...(ignoreDRARequests ? [] : [DRA])];
}

/** Rules for the namespace of the lease; none without leader election. */
export function leaseAccess({
  disableLeaderElection,
  leaderElectionName,
}: Pick<OperatorOptions, 'disableLeaderElection' | 'leaderElectionName'>): readonly AccessRule[] {
  if (disableLeaderElection) return [];
  const lease = { group: 'coordination.k8s.io', resources: ['leases'] };
  return [
    {
      ...lease,
      verbs: ['get', 'update'],
      names: [leaderElectionName],
      why: 'of several controllers one leads: it renews this lease, the others look at it',
    },
    { ...lease, verbs: ['create'], why: 'the first one makes the lease (a creation can not be granted by name)' },
  ];
}
