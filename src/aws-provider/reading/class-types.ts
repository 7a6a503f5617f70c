import { LABEL_REGISTERED } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodeOverlay } from '../../apis/node-overlay.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Node } from '../../kube/objects.ts';
import { SILENT } from '../../logging/logger.ts';
import type { InstanceType } from '../../scheduling/instance-type.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../apis/ec2-node-class.ts';
import type { Ec2Api } from '../aws-api/apis.ts';
import type { AwsOptions } from '../aws-options.ts';
import { KubeletExpressions } from '../kubelet/expressions.ts';
import { kubeletSettings } from '../kubelet/kubelet-settings.ts';
import { hasExpressions } from '../kubelet/resolve-kubelet.ts';
import { Ec2CapacityReservationProvider } from '../providers/capacity-reservation/capacity-reservation-provider.ts';
import type { PlacementGroup } from '../providers/contracts.ts';
import { DefaultInstanceTypeProvider } from '../providers/instance-type/instance-type-provider.ts';
import { Ec2OfferingProvider } from '../providers/instance-type/offering/offering-provider.ts';
import { OverlayPrices } from '../providers/instance-type/offering/overlay-prices.ts';
import { placementGroupOf } from '../providers/placement-group/placement-group-of.ts';
import { Ec2PlacementGroupProvider } from '../providers/placement-group/placement-group-provider.ts';
import { NO_ZONAL_SHIFTS } from '../providers/zonal-shift/zonal-shift-provider.ts';
import type { RegionFacts } from './region-facts.ts';

/** The calls that tell what only AWS knows of a class: what reservations and subnets have left, how groups place. */
export type LookUps = Pick<Ec2Api, 'describeCapacityReservations' | 'describePlacementGroups' | 'describeSubnets'>;

export interface ClassTypesDeps {
  readonly facts: RegionFacts;
  /** Undefined where AWS can't be asked: then reservations have nothing left, and no class has a placement group. */
  readonly ec2: LookUps | undefined;
  /** Stands still. */
  readonly clock: Clock;
  readonly options: Pick<AwsOptions, 'vmMemoryOverheadPercent' | 'reservedENIs'>;
  /** The feature gate ReservedCapacity. */
  readonly reservedCapacity: boolean;
}

/** What tells of the cluster. */
export interface ClusterObjects {
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly nodes: readonly Node[];
  readonly nodeClaims: readonly NodeClaim[];
  /** Empty while the feature gate NodeOverlay is off. */
  readonly nodeOverlays: readonly NodeOverlay[];
}

export interface ClassTypes {
  readonly types: readonly InstanceType[];
  /** Why there are none. */
  readonly problem?: string;
  /** Machines that reservations have left, by id; only where AWS was asked. */
  readonly reservationsLeft?: ReadonlyMap<string, number>;
  readonly placementGroup?: PlacementGroup;
}

/**
 * The instance types that the controller would see for each class, by its name, from the very provider that it asks. What it
 * has learned from nodes is learned again from those that there are.
 */
export async function classTypes(
  deps: ClassTypesDeps,
  objects: ClusterObjects,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, ClassTypes>> {
  const { facts, clock } = deps;
  const { nodeClasses } = objects;
  const needsExpressions = nodeClasses.some((nodeClass) => hasExpressions(kubeletSettings(nodeClass)));
  const lookUps = deps.ec2 ? lookedUp(deps.ec2, clock) : NOTHING_LOOKED_UP;
  const offerings = new Ec2OfferingProvider({
    ...{ ...lookUps, clock, reservedCapacity: deps.reservedCapacity, zonalShift: NO_ZONAL_SHIFTS },
    pricing: {
      version: 0,
      onDemandPrice: (type) => facts.onDemand.get(type),
      spotPrice: (type, zone) => (facts.spot ? facts.spot.get(type)?.get(zone) : facts.onDemand.get(type)),
    },
    overlayPrices: new OverlayPrices({ clock, nodeOverlays: () => objects.nodeOverlays }),
    // What is sold out stands on the classes, and is taken off the market by whoever reads it there.
    unavailableOfferings: { seqNum: () => 0, unavailableUntil: () => undefined },
  });
  const provider = new DefaultInstanceTypeProvider({
    ...{ ...deps, ...lookUps, offerings, region: facts.region, log: SILENT, metrics: { gauge: () => {} } },
    ec2: answering(facts),
    expressions: needsExpressions ? await KubeletExpressions.load(clock) : undefined,
  });
  await provider.updateInstanceTypes(signal);
  await provider.updateInstanceTypeOfferings(signal);
  learnMemory(provider, objects);
  const found = new Map<string, ClassTypes>();
  for (const nodeClass of nodeClasses) {
    found.set(nodeClass.metadata.name, await typesOf(nodeClass, provider, lookUps, signal));
  }
  return found;
}

async function typesOf(
  nodeClass: EC2NodeClass,
  provider: DefaultInstanceTypeProvider,
  { capacityReservations, placementGroups }: LookedUp,
  signal: AbortSignal | undefined,
): Promise<ClassTypes> {
  if (nodeClass.metadata.deletionTimestamp) return { types: [], problem: 'it is being deleted' };
  try {
    const reservations = nodeClass.status?.capacityReservations ?? [];
    const terms = nodeClass.spec.capacityReservationSelectorTerms ?? [];
    // Who may not ask goes on without the answer, as the controller does.
    if (reservations.length > 0) await capacityReservations.list(terms, signal).catch(() => []);
    const placementGroup = await placementGroupOf(placementGroups, nodeClass, signal);
    return {
      types: await provider.list(nodeClass, signal),
      ...(capacityReservations.isAsked
        ? {
            reservationsLeft: new Map(
              reservations.map(({ id }) => [id, capacityReservations.availableInstanceCount(id)]),
            ),
          }
        : {}),
      ...(placementGroup ? { placementGroup } : {}),
    };
  } catch (error) {
    signal?.throwIfAborted();
    return { types: [], problem: (error as Error).message };
  }
}

interface LookedUp {
  readonly capacityReservations: Pick<Ec2CapacityReservationProvider, 'list' | 'availableInstanceCount'> & {
    readonly isAsked: boolean;
  };
  readonly placementGroups: Pick<Ec2PlacementGroupProvider, 'get' | 'known'>;
}

const NOTHING_LOOKED_UP: LookedUp = {
  capacityReservations: { isAsked: false, list: async () => [], availableInstanceCount: () => 0 },
  placementGroups: { get: async () => undefined, known: () => undefined },
};

function lookedUp(ec2: LookUps, clock: Clock): LookedUp {
  const reservations = new Ec2CapacityReservationProvider({ ec2, clock });
  return {
    capacityReservations: {
      isAsked: true,
      list: (terms, signal) => reservations.list(terms, signal),
      availableInstanceCount: (id) => reservations.availableInstanceCount(id),
    },
    placementGroups: new Ec2PlacementGroupProvider({ ec2, clock }),
  };
}

/** EC2, as far as the provider asks it for types. */
function answering({ infos, zonesOfTypes }: RegionFacts) {
  return {
    describeInstanceTypes: async () => ({ InstanceTypes: [...infos.values()] }),
    describeInstanceTypeOfferings: async () => ({
      InstanceTypeOfferings: [...zonesOfTypes].flatMap(([InstanceType, zones]) =>
        [...zones].map((Location) => ({ InstanceType: InstanceType as never, Location })),
      ),
    }),
  };
}

/** As the controller does it when a node registers. */
function learnMemory(provider: DefaultInstanceTypeProvider, { nodeClasses, nodes, nodeClaims }: ClusterObjects): void {
  const classes = new Map(nodeClasses.map((nodeClass) => [nodeClass.metadata.name, nodeClass]));
  const claims = Map.groupBy(nodeClaims, ({ status }) => status?.providerID);
  for (const node of nodes) {
    if (!node.spec.providerID || node.metadata.labels?.[LABEL_REGISTERED] !== 'true') continue;
    const [claim, ...more] = claims.get(node.spec.providerID) ?? [];
    if (!claim || more.length > 0 || claim.spec.nodeClassRef.kind !== Ec2NodeClasses.kind) continue;
    const nodeClass = classes.get(claim.spec.nodeClassRef.name);
    if (nodeClass) provider.updateCapacityFromNode(node, claim, nodeClass);
  }
}
