import type { Clock } from '../../../kube/clock.ts';
import type { Logger } from '../../../logging/logger.ts';
import { PLACEMENT_GROUP_READY } from '../../apis/condition-types.ts';
import { withFacts } from '../../aws-api/with-facts.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import { ChangeMonitor } from '../../cache/change-monitor.ts';
import type { PlacementGroup, PlacementGroupProvider } from '../../providers/contracts.ts';
import type { NodeClassDraft, NodeClassReconciler } from './draft.ts';

export interface PlacementGroupReconcilerDeps {
  readonly placementGroups: Pick<PlacementGroupProvider, 'get'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Finds the placement group of a class; it has no period of its own, but comes along with the others. */
export class PlacementGroupReconciler implements NodeClassReconciler {
  readonly #deps: PlacementGroupReconcilerDeps;
  readonly #changes: ChangeMonitor;

  constructor(deps: PlacementGroupReconcilerDeps) {
    this.#deps = deps;
    this.#changes = new ChangeMonitor(deps.clock);
  }

  async reconcile(draft: NodeClassDraft, signal: AbortSignal): Promise<undefined> {
    const { metadata, spec } = draft.nodeClass;
    const selector = spec.placementGroupSelector;
    const wanted = selector?.name || selector?.id || '';
    const group = await this.#get(draft, wanted, signal);
    if (selector && !group) {
      const message = `Placement group ${JSON.stringify(wanted)} not found`;
      draft.conditions.setFalse(PLACEMENT_GROUP_READY, 'PlacementGroupNotFound', message);
      return undefined;
    }
    if (group && this.#changes.hasChanged(metadata.name, group.id)) {
      const { id, name, strategy } = group;
      this.#deps.log.debug('discovered placement group', { id, name, strategy });
    }
    draft.conditions.setTrue(PLACEMENT_GROUP_READY);
    return undefined;
  }

  async #get(draft: NodeClassDraft, wanted: string, signal: AbortSignal): Promise<PlacementGroup | undefined> {
    try {
      return await this.#deps.placementGroups.get(draft.nodeClass, signal);
    } catch (error) {
      const message = 'Failed to resolve placement group';
      draft.conditions.setFalse(PLACEMENT_GROUP_READY, 'PlacementGroupResolutionFailed', message);
      throw wrappedError(withFacts('resolving placement group', { 'placement-group': wanted }), error);
    }
  }
}
