import type { Resource } from '../../kube/client.ts';
import { groupResource } from '../../kube/resources.ts';
import type { NewCondition } from '../conditions.ts';

/** What is still in a namespace that is being deleted. */
export interface Remaining {
  readonly resource: Resource;
  readonly count: number;
  /** How many objects wait for each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** The conditions by which the API tells how far the deletion has come (upstream's namespace/deletion). */
export function contentConditions(remaining: readonly Remaining[]): readonly NewCondition[] {
  const resources = remaining.map(
    ({ resource, count }) => `${groupResource(resource)} has ${count} resource instances`,
  );
  const finalizers = new Map<string, number>();
  for (const { finalizers: counts } of remaining) {
    for (const [name, count] of counts) finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  }
  const waiting = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`);
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'False',
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      status: 'False',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    resources.length > 0
      ? {
          type: 'NamespaceContentRemaining',
          status: 'True',
          reason: 'SomeResourcesRemain',
          message: `Some resources are remaining: ${resources.sort().join(', ')}`,
        }
      : {
          type: 'NamespaceContentRemaining',
          status: 'False',
          reason: 'ContentRemoved',
          message: 'All content successfully removed',
        },
    waiting.length > 0
      ? {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${waiting.sort().join(', ')}`,
        }
      : {
          type: 'NamespaceFinalizersRemaining',
          status: 'False',
          reason: 'ContentHasNoFinalizers',
          message: 'All content-preserving finalizers finished',
        },
  ];
}
