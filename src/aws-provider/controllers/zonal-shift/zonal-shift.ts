import { LABEL_ZONE } from '../../../apis/labels.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import type { CloudProvider } from '../../../cloudprovider/types.ts';
import type { ControllerContext } from '../../../controllers/context.ts';
import { isManagedPool } from '../../../controllers/managed.ts';
import type { Objects } from '../../../controllers/objects.ts';
import type { Event } from '../../../events/recorder.ts';
import { type ControllerSpec, type ReconcileResult, reads } from '../../../kube/controller.ts';
import { NodePools } from '../../../kube/resources.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import { Ec2NodeClasses } from '../../apis/ec2-node-class.ts';
import { type ZoneInfo, zoneInfoOf } from '../../apis/ec2-node-class-facts.ts';
import { LABEL_ZONE_ID } from '../../apis/labels.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { NodeClassReader, ZonalShiftProvider } from '../../providers/contracts.ts';
import { zonalShiftActive, zonalShiftCleared } from './events.ts';

type Deps = Pick<ControllerContext, 'recorder'> & {
  readonly cloud: Pick<CloudProvider, 'supportedNodeClasses'>;
  readonly nodePools: Pick<Objects<NodePool>, 'list'>;
  readonly nodeClasses: NodeClassReader;
  readonly zonalShift: Pick<ZonalShiftProvider, 'update' | 'shiftedZones'>;
};

const PERIOD_MS = 30_000;

/**
 * Looks which zones traffic is shifted away from, and tells the pools that could have nodes there
 * (aws-provider.md section 27).
 */
export class ZonalShiftController implements ControllerSpec {
  readonly name = 'zonalshift';
  readonly watches = [reads(NodePools), reads(Ec2NodeClasses)];
  readonly initialKeys = ['all'];
  readonly #deps: Deps;
  /** Zone ids that the pools were told of. */
  #told: ReadonlySet<string> = new Set();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(_key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { zonalShift } = this.#deps;
    await zonalShift.update(signal).catch((error: unknown) => {
      throw wrappedError('updating zonal shifts', error);
    });
    const shifted = zonalShift.shiftedZones();
    // What could not be told is told next time.
    if (shifted.symmetricDifference(this.#told).size > 0) await this.#tell(shifted, signal);
    this.#told = shifted;
    return { requeueAfter: PERIOD_MS };
  }

  async #tell(shifted: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { nodePools, nodeClasses, cloud, recorder } = this.#deps;
    const began = shifted.difference(this.#told);
    const ended = this.#told.difference(shifted);
    const events: Event[] = [];
    for (const nodePool of nodePools.list()) {
      const { nodeClassRef } = nodePool.spec.template.spec;
      const nodeClass = isManagedPool(cloud, nodePool) && (await nodeClasses.get(nodeClassRef.name, signal));
      if (!nodeClass) continue;
      const zones = reachableZones(nodePool, zoneInfoOf(nodeClass));
      for (const { zone, zoneID } of zones) {
        if (began.has(zoneID)) events.push(zonalShiftActive(nodePool, zone, zoneID));
        if (ended.has(zoneID)) events.push(zonalShiftCleared(nodePool, zone, zoneID));
      }
    }
    recorder.publish(...events);
  }
}

/** Zones with subnets of the class that the pool's requirements allow, by name and by id. */
function reachableZones(nodePool: NodePool, zones: readonly ZoneInfo[]): readonly ZoneInfo[] {
  const requirements = Requirements.fromItems(nodePool.spec.template.spec.requirements);
  return zones.filter(
    ({ zone, zoneID }) => requirements.get(LABEL_ZONE).has(zone) && requirements.get(LABEL_ZONE_ID).has(zoneID),
  );
}
