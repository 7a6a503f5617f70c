import type { CustomResourceDefinition } from '../../apis/crds/definition.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import type { Store } from '../store/store.ts';
import { clusterViews } from './cluster-views.ts';
import { customView } from './custom-view.ts';
import { defaultView } from './default-view.ts';
import { networkViews } from './network-views.ts';
import { podView } from './pod-view.ts';
import { policyViews } from './policy-views.ts';
import { storageViews } from './storage-views.ts';
import type { TableViews } from './table.ts';
import { workloadViews } from './workload-views.ts';

/** Finds the view of a resource; those of custom resources are in their definitions, which are in the store. */
export function tableViews(store: Store): TableViews {
  const known = { pods: podView, ...workloadViews, ...clusterViews, ...networkViews, ...policyViews, ...storageViews };
  const views = new Map(Object.entries(known));
  const custom = (resource: ResourceDefinition) => {
    const definition = store.get('apiextensions.k8s.io/customresourcedefinitions', resource.crd ?? '');
    return definition && customView(definition as unknown as CustomResourceDefinition, resource.version);
  };
  return (resource) => (resource.crd ? custom(resource) : views.get(resource.collection)) ?? defaultView;
}
