import { parseSoldOut, type SoldOut, soldOutText } from '../../../../cloudprovider/sold-out.ts';
import type { ControllerContext } from '../../../../controllers/context.ts';
import type { Objects } from '../../../../controllers/objects.ts';
import { type ControllerSpec, type ReconcileResult, type Watch, watch } from '../../../../kube/controller.ts';
import { isConflict, isForbidden, isNotFound } from '../../../../kube/errors.ts';
import { keyOf } from '../../../../kube/object-key.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../../apis/ec2-node-class.ts';
import { ANNOTATION_SOLD_OUT } from '../../../apis/labels.ts';
import type { UnavailableOfferingsCache } from '../../../cache/unavailable-offerings.ts';
import type { PlacementGroupProvider } from '../../../providers/contracts.ts';
import { entriesOfClass } from './class-entries.ts';

/** Shortages come in bursts: a class is written once in so long at most. */
const GAP_MS = 5000;

type Deps = Pick<ControllerContext, 'clock' | 'log'> & {
  readonly nodeClasses: Objects<EC2NodeClass>;
  readonly placementGroups: Pick<PlacementGroupProvider, 'known'>;
  readonly unavailableOfferings: Pick<UnavailableOfferingsCache, 'list' | 'onMarked'>;
};

/**
 * Tells on each EC2NodeClass what EC2 refused to sell, and until when it is not asked again: who looks at the cluster
 * reckons with it, and so does the next process. It is only told: nothing depends on the annotation being there.
 */
export class NodeClassSoldOut implements ControllerSpec {
  readonly name = 'nodeclass.soldout';
  readonly watches: readonly Watch[];
  readonly #deps: Deps;
  readonly #triedAt = new Map<string, number>();
  #toldOfRight = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { nodeClasses, unavailableOfferings } = deps;
    const marks: Watch = {
      subscribe: (_informers, add) => {
        unavailableOfferings.onMarked(() => nodeClasses.list().map(keyOf).forEach(add));
        return { synced: Promise.resolve() };
      },
    };
    this.watches = [watch(Ec2NodeClasses), marks];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { clock, nodeClasses, placementGroups, unavailableOfferings } = this.#deps;
    const nodeClass = nodeClasses.get(key);
    if (!nodeClass || nodeClass.metadata.deletionTimestamp) {
      this.#triedAt.delete(key);
      return undefined;
    }
    const now = clock.now();
    const entries = entriesOfClass(unavailableOfferings.list(), nodeClass, placementGroups.known(nodeClass));
    if (isTold(entries, nodeClass, now)) return endOf(entries, now);
    const wait = (this.#triedAt.get(key) ?? Number.NEGATIVE_INFINITY) + GAP_MS - now;
    if (wait > 0) return { requeueAfter: wait };
    this.#triedAt.set(key, now);
    await this.#write(nodeClass, entries, signal);
    return endOf(entries, now);
  }

  async #write(nodeClass: EC2NodeClass, entries: readonly SoldOut[], signal: AbortSignal): Promise<void> {
    const { nodeClasses, log } = this.#deps;
    const { [ANNOTATION_SOLD_OUT]: _, ...others } = nodeClass.metadata.annotations ?? {};
    const annotations = entries.length > 0 ? { ...others, [ANNOTATION_SOLD_OUT]: soldOutText(entries) } : others;
    const told = { ...nodeClass, metadata: { ...nodeClass.metadata, annotations } };
    try {
      await nodeClasses.patch(nodeClass, told, {}, signal);
    } catch (error) {
      // What comes in its place is looked at when the watch brings it.
      if (isNotFound(error) || isConflict(error)) return;
      if (!isForbidden(error)) throw error;
      if (!this.#toldOfRight) log.error('cannot tell on node classes what is sold out', error);
      this.#toldOfRight = true;
    }
  }
}

/** Whether the annotation says so already and no more; but what has ended may stand beside what has not. */
function isTold(entries: readonly SoldOut[], { metadata: { annotations } }: EC2NodeClass, now: number): boolean {
  const text = annotations?.[ANNOTATION_SOLD_OUT];
  if (entries.length === 0) return text === undefined;
  return (
    soldOutText(parseSoldOut(text).filter(({ until }) => until === undefined || until > now)) === soldOutText(entries)
  );
}

/** When the last has ended there is something to take away; before that readers see for themselves what has. */
function endOf(entries: readonly SoldOut[], now: number): ReconcileResult | undefined {
  if (entries.length === 0) return undefined;
  return { requeueAfter: Math.max(...entries.map(({ until = now }) => until)) - now };
}
