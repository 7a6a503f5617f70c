import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../../../apis/labels.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import type { CloudProvider } from '../../../cloudprovider/types.ts';
import { combinedError } from '../../../controllers/combined-error.ts';
import { isManagedPool } from '../../../controllers/managed.ts';
import type { Objects } from '../../../controllers/objects.ts';
import { type ControllerSpec, type ReconcileResult, reads } from '../../../kube/controller.ts';
import { NodePools } from '../../../kube/resources.ts';
import type { Labels, Metrics } from '../../../metrics/metrics.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';

interface Deps {
  readonly cloud: Pick<CloudProvider, 'supportedNodeClasses' | 'getInstanceTypes'>;
  readonly nodePools: Pick<Objects<NodePool>, 'list'>;
  readonly metrics: Pick<Metrics, 'gauge'>;
  /** The feature gate ReservedCapacity. */
  readonly reservedCapacity: boolean;
}

const PERIOD_MS = 60_000;

interface OnSale {
  readonly labels: Labels;
  readonly available: boolean;
  readonly price: number;
}

/** Tells what each offering of the pools' instance types costs, and whether it can be bought (aws-provider.md section 26). */
export class OfferingMetrics implements ControllerSpec {
  readonly name = 'cloudprovider.metrics';
  readonly watches = [reads(NodePools)];
  readonly initialKeys = ['all'];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A pool whose types are not known keeps no other from being told; it is asked again. */
  async reconcile(_key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { nodePools, cloud, metrics } = this.#deps;
    // Pools of one class share their types.
    const types = new Set<InstanceType>();
    const errors: unknown[] = [];
    for (const nodePool of nodePools.list()) {
      if (!isManagedPool(cloud, nodePool)) continue;
      try {
        for (const type of await cloud.getInstanceTypes(nodePool, signal)) types.add(type);
      } catch (error) {
        errors.push(wrappedError(`getting instance types of NodePool ${nodePool.metadata.name}`, error));
      }
    }
    for (const { labels, available, price } of this.#offerings(types)) {
      metrics.gauge('cloudprovider_instance_type_offering_available', available ? 1 : 0, labels);
      metrics.gauge('cloudprovider_instance_type_offering_price_estimate', price, labels);
    }
    if (errors.length > 0) throw combinedError(errors);
    return { requeueAfter: PERIOD_MS };
  }

  /** One for each type, capacity type and zone; on sale where it is for any pool. */
  #offerings(types: Iterable<InstanceType>): Iterable<OnSale> {
    const found = new Map<string, OnSale>();
    const add = (type: string, capacityType: string, zone: string, available: boolean, price: number): void => {
      const key = `${type} ${capacityType} ${zone}`;
      const known = found.get(key);
      const labels = known?.labels ?? { instance_type: type, capacity_type: capacityType, zone };
      found.set(key, { labels, available: available || known?.available === true, price });
    };
    for (const { name, offerings } of types) {
      const zones = new Set<string>();
      for (const { requirements, available, price } of offerings) {
        const zone = requirements.get(LABEL_ZONE).any();
        add(name, requirements.get(LABEL_CAPACITY_TYPE).any(), zone, available, price);
        zones.add(zone);
      }
      if (!this.#deps.reservedCapacity) continue;
      for (const zone of zones) {
        if (!found.has(`${name} ${CAPACITY_TYPE_RESERVED} ${zone}`)) add(name, CAPACITY_TYPE_RESERVED, zone, false, 0);
      }
    }
    return found.values();
  }
}
