/** What `up --local` puts into its one process: the only place where the cluster and the fake cloud meet. */

import { KwokNodeClasses } from '../kwok-provider/apis/kwok-node-class.ts';
import { KWOK_NODE_CLASS_DEFINITION } from '../kwok-provider/apis/kwok-node-class-definition.ts';
import { CORE_DEFINITIONS } from '../src/apis/crds/index.ts';
import type { NodePool } from '../src/apis/node-pool.ts';
import type { Resource } from '../src/kube/client.ts';
import type { StorageClass } from '../src/kube/objects.ts';
import { CustomResourceDefinitions, NodePools, StorageClasses } from '../src/kube/resources.ts';
import type { FeatureGates } from '../src/operator/options.ts';
import type { ComponentFactory, InitialObject } from '../src/runtimes/embedded.ts';
import { managed } from '../src/runtimes/managed.ts';
import type { InstanceType } from '../src/scheduling/instance-type.ts';

/** How the fake machines and kubelets behave; milliseconds. */
export interface FakeTimes {
  readonly nodeReadyMs: number;
  readonly podStartMs: number;
  /** From the launch of a machine until its node joins. */
  readonly nodeJoinMs: number;
}

export interface EmbeddedClusterOptions {
  readonly times: FakeTimes;
  readonly instanceTypes: readonly InstanceType[];
  /** Karpenter's. */
  readonly featureGates: FeatureGates;
}

/**
 * The pool that a new cluster starts with: any generic Linux type, consolidated at once, so that there is something to see. On
 * demand only, because spot nodes are not replaced by cheaper spot nodes unless a feature gate says so.
 */
const DEFAULT_POOL: NodePool = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: KwokNodeClasses.group, kind: KwokNodeClasses.kind, name: 'default' },
        requirements: [
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
        ],
        expireAfter: '720h',
      },
    },
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '0s',
      budgets: [{ nodes: '100%' }],
    },
    limits: { cpu: '1000' },
  },
};

/** The class of claims that name none; its volumes are made where their pod goes. */
const DEFAULT_STORAGE: StorageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'disk.kwok.x-k8s.io',
  volumeBindingMode: 'WaitForFirstConsumer',
  reclaimPolicy: 'Delete',
};

export function initialObjects({ times }: EmbeddedClusterOptions): readonly InitialObject[] {
  const definitions = [...CORE_DEFINITIONS, KWOK_NODE_CLASS_DEFINITION].map((object) => ({
    resource: CustomResourceDefinitions,
    object,
    once: false,
  }));
  const nodeClass = {
    apiVersion: 'karpenter.kwok.sh/v1alpha1',
    kind: 'KWOKNodeClass',
    metadata: { name: 'default' },
    ...(times.nodeJoinMs > 0 ? { spec: { nodeRegistrationDelay: `${times.nodeJoinMs / 1000}s` } } : {}),
  };
  return [
    ...definitions,
    { resource: KwokNodeClasses, object: nodeClass, once: true },
    { resource: NodePools, object: DEFAULT_POOL, once: true },
    { resource: StorageClasses, object: DEFAULT_STORAGE, once: true },
  ];
}

/** Every component, the code of each loaded when it starts. */
export function components({
  times,
  instanceTypes,
  featureGates,
}: EmbeddedClusterOptions): readonly ComponentFactory[] {
  return [
    {
      component: 'controllers',
      title: 'controllers',
      create: async (context) => {
        const [{ controlPlane }, { EventWriter }] = await Promise.all([
          import('../src/control-plane/control-plane.ts'),
          import('../src/events/event-writer.ts'),
        ]);
        const events = new EventWriter(context);
        const recorderFor = (component: string, about: Resource) => events.for(component, about);
        return managed(context, (informers) => ({ controllers: controlPlane({ ...context, informers, recorderFor }) }));
      },
    },
    {
      component: 'scheduler',
      title: 'scheduler',
      create: async (context) => {
        const [{ Scheduler }, { EventWriter }] = await Promise.all([
          import('../src/control-plane/scheduler/scheduler.ts'),
          import('../src/events/event-writer.ts'),
        ]);
        const events = new EventWriter(context);
        const recorderFor = (component: string, about: Resource) => events.for(component, about);
        return managed(context, (informers) => ({
          controllers: [],
          runnables: [new Scheduler({ ...context, informers, recorderFor })],
        }));
      },
    },
    {
      component: 'node-agent',
      title: 'fake nodes',
      create: async (context) => {
        const { nodeAgent } = await import('../kwok-provider/kubelet/node-agent.ts');
        const { nodeReadyMs, podStartMs } = times;
        return managed(context, (informers) => nodeAgent({ ...context, informers }, { nodeReadyMs, podStartMs }));
      },
    },
    {
      component: 'karpenter',
      title: 'Karpenter',
      create: async ({ client, clock, random, onTrouble }) => {
        const [{ Operator }, { KwokCloudProvider }, { Interruption }, { NO_METRICS }, { DEFAULT_OPTIONS }] =
          await Promise.all([
            import('../src/operator/operator.ts'),
            import('../kwok-provider/cloud-provider.ts'),
            import('../kwok-provider/interruption/controller.ts'),
            import('../src/metrics/metrics.ts'),
            import('../src/operator/options.ts'),
          ]);
        const operator = new Operator({
          client,
          clock,
          random,
          cloud: new KwokCloudProvider({ client, clock, instanceTypes }),
          providerControllers: (context) => [new Interruption(context)],
          log: { debug() {}, info() {}, error: (message, error) => onTrouble(message, error) },
          metrics: NO_METRICS,
          options: { ...DEFAULT_OPTIONS, disableLeaderElection: true, featureGates },
        });
        return { run: (signal) => operator.start(signal) };
      },
    },
  ];
}
