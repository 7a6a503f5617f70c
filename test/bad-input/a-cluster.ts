/** One valid cluster with an object of every kind that commands read, and every part that they look at. */
import type { KubeObject } from '../../src/kube/objects.ts';

const LONG_AGO = '2026-01-01T00:00:00Z';
const labels = {
  'kubernetes.io/hostname': 'node-1',
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/os': 'linux',
  'karpenter.sh/nodepool': 'general',
  'karpenter.sh/capacity-type': 'on-demand',
  'karpenter.sh/registered': 'true',
  'karpenter.sh/initialized': 'true',
  'karpenter.kwok.sh/kwoknodeclass': 'default',
  'node.kubernetes.io/instance-type': 'c-4x-amd64-linux',
  'topology.kubernetes.io/zone': 'test-zone-a',
};
const size = { cpu: '4', memory: '8Gi', pods: '64', 'ephemeral-storage': '20Gi' };
const condition = (type: string, status = 'True') => ({
  type,
  status,
  lastTransitionTime: LONG_AGO,
  reason: 'Because',
  message: 'for a reason',
});
const term = { topologyKey: 'topology.kubernetes.io/zone', labelSelector: { matchLabels: { app: 'web' } } };
const expression = { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'] };
const container = {
  name: 'main',
  image: 'pause',
  ports: [{ containerPort: 80, hostPort: 8080, hostIP: '10.0.0.1', protocol: 'TCP' }],
  resources: { requests: { cpu: '500m', memory: '128Mi' }, limits: { cpu: '1' } },
};
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs', controller: true };
const meta = (name: string, rest: object = {}) => ({ name, uid: `uid-${name}`, creationTimestamp: LONG_AGO, ...rest });
const inDefault = { namespace: 'default', labels: { app: 'web', tier: 'front' } };
const webSelector = {
  matchLabels: { app: 'web' },
  matchExpressions: [{ key: 'tier', operator: 'In', values: ['front'] }],
};
const podSpec = {
  containers: [container],
  initContainers: [{ name: 'init', image: 'pause', restartPolicy: 'Always', resources: { requests: { cpu: '100m' } } }],
  overhead: { cpu: '10m' },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoSchedule', tolerationSeconds: 30 }],
  priority: 100,
  terminationGracePeriodSeconds: 30,
};
const waitingSpec = {
  ...podSpec,
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [expression] } }],
    },
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, namespaces: ['default'] }],
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: webSelector,
          namespaceSelector: { matchLabels: { a: 'b' } },
        },
      ],
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
    },
  },
  topologySpreadConstraints: [
    {
      ...term,
      maxSkew: 1,
      minDomains: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      matchLabelKeys: ['tier'],
      nodeTaintsPolicy: 'Honor',
    },
    { ...term, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
  ],
  volumes: [
    { name: 'a', persistentVolumeClaim: { claimName: 'bound' } },
    { name: 'b', persistentVolumeClaim: { claimName: 'unbound' } },
    { name: 'c', ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'] } } } },
  ],
};
const claim = (name: string, spec: object) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: meta(name, { ...inDefault, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }),
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  status: { phase: 'Bound' },
});
const template = { metadata: { labels: inDefault.labels }, spec: podSpec };

export const A_CLUSTER = [
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: meta('general'),
    spec: {
      weight: 10,
      limits: { cpu: '100', nodes: '10' },
      disruption: {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: '0s',
        budgets: [
          { nodes: '50%', reasons: ['Empty'] },
          { nodes: '1', schedule: '@daily', duration: '1h' },
        ],
      },
      template: {
        metadata: { labels: { team: 'a' }, annotations: { a: 'b' } },
        spec: {
          nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
          requirements: [
            { ...expression, minValues: 1 },
            { key: 'karpenter.kwok.sh/instance-cpu', operator: 'Lt', values: ['9'] },
          ],
          taints: [{ key: 'soft', value: 'x', effect: 'PreferNoSchedule' }],
          startupTaints: [{ key: 'starting', effect: 'NoSchedule' }],
          expireAfter: '720h',
          terminationGracePeriod: '1h',
        },
      },
    },
    status: { conditions: [condition('Ready'), condition('NodeClassReady')], resources: { cpu: '4' }, nodes: 1 },
  },
  {
    apiVersion: 'karpenter.kwok.sh/v1alpha1',
    kind: 'KWOKNodeClass',
    metadata: meta('default'),
    status: { conditions: [condition('Ready')] },
  },
  {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: meta('overlay'),
    spec: { requirements: [expression], priceAdjustment: '+10%', capacity: { 'example.com/gpu': '1' }, weight: 1 },
    status: { conditions: [condition('Ready'), condition('ValidationSucceeded')] },
  },
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: meta('claim-1', {
      labels,
      annotations: { 'karpenter.sh/nodepool-hash': '1' },
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [{ ...owner, kind: 'NodePool' }],
    }),
    spec: {
      nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
      requirements: [expression],
      resources: { requests: { cpu: '1' } },
      taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }],
      startupTaints: [{ key: 'starting', effect: 'NoSchedule' }],
      expireAfter: '720h',
      terminationGracePeriod: '1h',
    },
    status: {
      providerID: 'kwok://node-1',
      nodeName: 'node-1',
      capacity: size,
      allocatable: size,
      lastPodEventTime: LONG_AGO,
      conditions: ['Launched', 'Registered', 'Initialized', 'Ready', 'Consolidatable', 'Drifted'].map((type) =>
        condition(type),
      ),
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: meta('node-1', { labels }),
    spec: {
      providerID: 'kwok://node-1',
      taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }],
      unschedulable: false,
    },
    status: { capacity: size, allocatable: size, conditions: [condition('Ready')] },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta('running', {
      ...inDefault,
      ownerReferences: [owner],
      annotations: { 'karpenter.sh/do-not-disrupt': '1h' },
    }),
    spec: {
      ...podSpec,
      nodeName: 'node-1',
      affinity: { podAntiAffinity: waitingSpec.affinity.podAntiAffinity },
      volumes: waitingSpec.volumes,
    },
    status: {
      phase: 'Running',
      startTime: LONG_AGO,
      conditions: [condition('Ready'), condition('PodScheduled')],
      containerStatuses: [
        { name: 'main', ready: true, resources: { requests: { cpu: '1' } }, allocatedResources: { cpu: '1' } },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta('waiting', { ...inDefault, ownerReferences: [owner] }),
    spec: waitingSpec,
    status: { phase: 'Pending', conditions: [{ ...condition('PodScheduled', 'False'), reason: 'Unschedulable' }] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: meta('agent', inDefault),
    spec: { selector: webSelector, template },
  },
  { apiVersion: 'v1', kind: 'Namespace', metadata: meta('default', { labels: { a: 'b' } }) },
  {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: meta('defaults', inDefault),
    spec: { limits: [{ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '500m' } }] },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: meta('web', inDefault),
    spec: { selector: webSelector, maxUnavailable: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  },
  claim('bound', { volumeName: 'pv-1', storageClassName: 'zonal' }),
  { ...claim('unbound', { storageClassName: 'zonal' }), status: { phase: 'Pending' } },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: meta('pv-1'),
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'disk.example.com', volumeHandle: 'a' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
    },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: meta('zonal'),
    provisioner: 'disk.example.com',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['test-zone-a'] }] }],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: meta('node-1'),
    spec: { drivers: [{ name: 'disk.example.com', nodeID: 'node-1', topologyKeys: [], allocatable: { count: 2 } }] },
  },
  {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata: meta('buffer', inDefault),
    spec: { scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'web' }, percentage: 50, limits: { cpu: '10' } },
    status: { replicas: 1, conditions: [condition('ReadyForProvisioning')] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta('web', inDefault),
    spec: { replicas: 2, selector: webSelector, template },
  },
  { apiVersion: 'v1', kind: 'PodTemplate', metadata: meta('template', inDefault), template },
  {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: meta('event', inDefault),
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'waiting' },
    reason: 'FailedScheduling',
    message: 'no room',
    type: 'Warning',
    lastTimestamp: LONG_AGO,
    count: 1,
  },
] as unknown as readonly KubeObject[];
