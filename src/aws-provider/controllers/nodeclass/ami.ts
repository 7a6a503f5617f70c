import type { Clock } from '../../../kube/clock.ts';
import type { ReconcileResult } from '../../../kube/controller.ts';
import type { NodeSelectorRequirement } from '../../../kube/objects.ts';
import { TerminalError } from '../../../kube/terminal-error.ts';
import type { Logger } from '../../../logging/logger.ts';
import { AMIS_READY } from '../../apis/condition-types.ts';
import type { AMIStatus } from '../../apis/ec2-node-class.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import { ChangeMonitor } from '../../cache/change-monitor.ts';
import { UnsupportedAliasError } from '../../providers/ami-family/unsupported-alias-error.ts';
import type { Ami, AmiProvider } from '../../providers/contracts.ts';
import type { NodeClassDraft, NodeClassReconciler } from './draft.ts';

export interface AmiReconcilerDeps {
  readonly amis: AmiProvider;
  readonly clock: Clock;
  readonly log: Logger;
}

const FOUND_MS = 5 * 60_000;
/** Whoever tags an image later should not have to wait long. */
const MISSED_MS = 60_000;

/** Finds the images of a class. */
export class AmiReconciler implements NodeClassReconciler {
  readonly #deps: AmiReconcilerDeps;
  readonly #changes: ChangeMonitor;

  constructor(deps: AmiReconcilerDeps) {
    this.#deps = deps;
    this.#changes = new ChangeMonitor(deps.clock);
  }

  async reconcile(draft: NodeClassDraft, signal: AbortSignal): Promise<ReconcileResult> {
    const amis = await this.#list(draft, signal);
    if (amis.length === 0) {
      draft.set('amis', undefined);
      draft.conditions.setFalse(AMIS_READY, 'AMINotFound', 'AMISelector did not match any AMIs');
      return { requeueAfter: MISSED_MS };
    }
    const ids = [...new Set(amis.map(({ id }) => id))];
    if (this.#changes.hasChanged(draft.nodeClass.metadata.name, ids)) this.#deps.log.debug('discovered amis', { ids });
    draft.set('amis', amis.map(amiStatus));
    draft.conditions.setTrue(AMIS_READY);
    return { requeueAfter: FOUND_MS };
  }

  async #list(draft: NodeClassDraft, signal: AbortSignal): Promise<readonly Ami[]> {
    try {
      return await this.#deps.amis.list(draft.nodeClass, signal);
    } catch (error) {
      const unsupported = unsupportedAlias(error);
      if (!unsupported) throw wrappedError('getting amis', error);
      draft.conditions.setFalse(AMIS_READY, 'UnsupportedAlias', messageOf(error));
      throw new TerminalError('getting amis', error);
    }
  }
}

function unsupportedAlias(error: unknown): UnsupportedAliasError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof UnsupportedAliasError) return cause;
  }
  return undefined;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function amiStatus({ id, name, deprecated, requirements }: Ami): AMIStatus {
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(deprecated ? { deprecated } : {}),
    requirements: requirements.toSorted(byKey),
  };
}

/** Short keys first, so that the list does not change from one look to the next. */
function byKey({ key: a }: NodeSelectorRequirement, { key: b }: NodeSelectorRequirement): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
