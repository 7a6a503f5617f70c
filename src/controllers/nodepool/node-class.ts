import type { NodePool } from '../../apis/node-pool.ts';
import type { CloudProvider } from '../../cloudprovider/types.ts';
import type { Resource } from '../../kube/client.ts';
import { type Watch, watch } from '../../kube/controller.ts';
import type { Informers } from '../../kube/informers.ts';
import type { Condition, KubeObject } from '../../kube/objects.ts';
import { NodePools } from '../../kube/resources.ts';

/** Any provider's node class, as far as core looks at it. */
export interface NodeClass extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Every kind of node class that the provider knows. */
export const nodeClassResources = (
  cloud: Pick<CloudProvider, 'supportedNodeClasses'>,
): readonly Resource<NodeClass>[] =>
  cloud.supportedNodeClasses().map((nodeClass) => ({ ...nodeClass, namespaced: false }));

/** The node class a pool refers to, from the cache. */
export function nodeClassOf(
  { informers, cloud }: { readonly informers: Informers; readonly cloud: Pick<CloudProvider, 'supportedNodeClasses'> },
  nodePool: NodePool,
): NodeClass | undefined {
  const { group, kind, name } = nodePool.spec.template.spec.nodeClassRef;
  const resource = nodeClassResources(cloud).find((r) => r.group === group && r.kind === kind);
  return resource && informers.reader(resource).get(name);
}

/** Watches every node class of the provider; a change concerns the pools that refer to it. */
export function watchNodeClasses(deps: {
  readonly informers: Informers;
  readonly cloud: Pick<CloudProvider, 'supportedNodeClasses'>;
}): readonly Watch[] {
  return nodeClassResources(deps.cloud).map((resource) =>
    watch(resource, ({ object }) =>
      deps.informers
        .reader(NodePools)
        .list()
        .filter(({ spec }) => {
          const ref = spec.template.spec.nodeClassRef;
          return ref.kind === resource.kind && ref.group === resource.group && ref.name === object.metadata.name;
        })
        .map((nodePool) => nodePool.metadata.name),
    ),
  );
}
