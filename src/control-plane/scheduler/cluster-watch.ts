import type { Resource } from '../../kube/client.ts';
import type { Informers } from '../../kube/informers.ts';
import { keyOf } from '../../kube/object-key.ts';
import { isBound, isTerminal } from '../../kube/pods.ts';
import {
  CSINodes,
  Namespaces,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  StorageClasses,
  VolumeAttachments,
} from '../../kube/resources.ts';
import type { ClusterCache, ClusterView } from './cluster-cache.ts';
import type { Filter, PluginName } from './filter.ts';
import { prepareFilters, rejection } from './find-nodes.ts';
import type { LabelShapes } from './label-shapes.ts';
import type { Nominations } from './nominations.ts';
import { type PodInfo, podInfo } from './pod-info.ts';
import { type ClusterChange, mayConcern, nodeChanges, podLabelsChanged } from './requeue-hints.ts';
import type { SchedulingQueue } from './scheduling-queue.ts';

const NO_CLUSTER: ClusterView = { nodes: [], namespaceLabels: () => undefined };
const STORAGE: readonly Resource[] = [
  PersistentVolumeClaims,
  PersistentVolumes,
  StorageClasses,
  CSINodes,
  VolumeAttachments,
];

export interface ClusterWatchDeps {
  readonly informers: Informers;
  readonly cache: ClusterCache;
  readonly queue: SchedulingQueue;
  readonly nominations: Nominations;
  readonly shapes: LabelShapes;
  readonly schedulerName: string;
  /** The filters that look at one node and at no volumes. */
  readonly filters: readonly Filter[];
}

/** Keeps cache and queue equal to what the API shows. Returns what ends the watch. */
export function watchCluster(deps: ClusterWatchDeps): () => void {
  const { informers, queue } = deps;
  const stops = [
    watchNodes(deps),
    watchPods(deps),
    informers.for(Namespaces).onChange(() => {
      deps.cache.touch();
      queue.changed('namespace');
    }),
    ...STORAGE.map((resource) => informers.for(resource).onChange(() => queue.changed('volume'))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** What keeps the pod off the node, as far as the node alone is concerned. */
function refusedBy({ cache, filters }: ClusterWatchDeps, nodeName: string, pod: PodInfo): PluginName | undefined {
  const node = cache.node(nodeName);
  const prepared = prepareFilters(pod, NO_CLUSTER, filters);
  if ('refusal' in prepared) return prepared.refusal.plugin;
  return node && rejection(prepared.checks, node)?.plugin;
}

function watchNodes(deps: ClusterWatchDeps): () => void {
  const { informers, cache, queue } = deps;
  return informers.for(Nodes).onChange(({ type, object, old }) => {
    if (type === 'Deleted') {
      cache.removeNode(object.metadata.name);
      queue.changed('domains');
      return;
    }
    const changes: readonly ClusterChange[] = old === undefined ? ['node', 'domains'] : nodeChanges(old, object);
    if (changes.length === 0) return;
    cache.setNode(object);
    queue.nodeChanged((waiting) => refusedBy(deps, object.metadata.name, waiting));
    if (changes.includes('domains')) queue.changed('domains');
  });
}

function watchPods({ informers, cache, queue, nominations, shapes, schedulerName }: ClusterWatchDeps): () => void {
  const gone = (key: string): void => {
    queue.delete(key);
    const nominated = nominations.nodeOf(key) !== undefined;
    nominations.delete(key);
    if (cache.nodeOf(key) === undefined && !nominated) return;
    cache.touch();
    cache.remove(key);
    queue.changed('pod-removed');
  };
  return informers.for(Pods).onChange(({ type, object, old }) => {
    const key = keyOf(object);
    if (type === 'Deleted' || isTerminal(object)) {
      gone(key);
    } else if (isBound(object)) {
      const node = object.spec.nodeName ?? '';
      const arrived = cache.nodeOf(key) !== node || old === undefined || !isBound(old);
      queue.delete(key);
      nominations.delete(key);
      cache.place(podInfo(object, shapes), node);
      if (arrived) queue.changed('pod-placed', ({ pod }) => mayConcern(pod, object));
      else if (old !== undefined && podLabelsChanged(old, object)) {
        queue.changed('pod-labels', ({ pod }) => mayConcern(pod, object));
      }
    } else if ((object.spec.schedulerName ?? schedulerName) === schedulerName) {
      if (object.metadata.deletionTimestamp !== undefined) gone(key);
      // A pod the scheduler has just placed is not in line any more, though the API has not heard of it yet.
      else if (cache.nodeOf(key) === undefined) queue.put(object);
    }
  });
}
