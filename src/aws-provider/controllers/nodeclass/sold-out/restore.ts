import { soldOutOf } from '../../../../cloudprovider/sold-out.ts';
import type { Client } from '../../../../kube/client.ts';
import type { Clock } from '../../../../kube/clock.ts';
import type { Logger } from '../../../../logging/logger.ts';
import { AWS_GROUP, Ec2NodeClasses } from '../../../apis/ec2-node-class.ts';
import type { UnavailableOfferingsCache } from '../../../cache/unavailable-offerings.ts';
import type { PlacementGroupProvider } from '../../../providers/contracts.ts';
import { placementGroupOf } from '../../../providers/placement-group/placement-group-of.ts';
import { marksOfClass } from './class-entries.ts';

export interface RestoreDeps {
  readonly client: Pick<Client, 'list'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly placementGroups: PlacementGroupProvider;
  readonly unavailableOfferings: Pick<UnavailableOfferingsCache, 'restore'>;
}

/**
 * Reads what the last leader told on the node classes, so that a restart in the middle of a shortage asks EC2 for nothing
 * that it has just refused. Never rejects but for the signal: without it, EC2 says so once more.
 */
export async function restoreSoldOut(deps: RestoreDeps, signal: AbortSignal): Promise<void> {
  const { client, clock, log, placementGroups, unavailableOfferings } = deps;
  try {
    const { items } = await client.list(Ec2NodeClasses, {}, signal);
    for (const nodeClass of items) {
      const entries = soldOutOf(nodeClass, AWS_GROUP);
      if (entries.length === 0) continue;
      const placementGroup = await placementGroupOf(placementGroups, nodeClass, signal);
      for (const mark of marksOfClass(entries, nodeClass, placementGroup)) {
        unavailableOfferings.restore(mark, clock.now());
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    log.error('cannot read from node classes what is sold out', error);
  }
}
