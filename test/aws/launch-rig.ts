import type { CapacityReservation, CreateFleetRequest } from '@aws-sdk/client-ec2';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { NodePool } from '../../src/apis/node-pool.ts';
import type { AMIStatus, CapacityReservationStatus, EC2NodeClass } from '../../src/aws-provider/apis/ec2-node-class.ts';
import { DEFAULT_AWS_OPTIONS } from '../../src/aws-provider/aws-options.ts';
import { UnavailableOfferingsCache } from '../../src/aws-provider/cache/unavailable-offerings.ts';
import { AwsCloudProvider } from '../../src/aws-provider/cloud-provider.ts';
import { Ec2CapacityReservationProvider } from '../../src/aws-provider/providers/capacity-reservation/capacity-reservation-provider.ts';
import { Ec2InstanceProvider } from '../../src/aws-provider/providers/instance/instance-provider.ts';
import { DefaultInstanceTypeProvider } from '../../src/aws-provider/providers/instance-type/instance-type-provider.ts';
import { Ec2OfferingProvider } from '../../src/aws-provider/providers/instance-type/offering/offering-provider.ts';
import { OverlayPrices } from '../../src/aws-provider/providers/instance-type/offering/overlay-prices.ts';
import { DefaultLaunchTemplateProvider } from '../../src/aws-provider/providers/launch-template/launch-template-provider.ts';
import { Ec2PlacementGroupProvider } from '../../src/aws-provider/providers/placement-group/placement-group-provider.ts';
import { DefaultSubnetProvider } from '../../src/aws-provider/providers/subnet/subnet-provider.ts';
import type { Event } from '../../src/events/recorder.ts';
import { SILENT } from '../../src/logging/logger.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';
import { ec2NodeClass } from '../factories/ec2-node-class.ts';
import { nodeClaim, nodePool, type Overrides } from '../factories/index.ts';
import { CountedMetrics } from '../support/counted-metrics.ts';
import { DISCOVERY_TAG, type FakeAws, fakeAws, TEST_CLUSTER, TEST_REGION } from './fake-ec2.ts';

export interface LaunchRigOptions {
  readonly reservedCapacity?: boolean;
  readonly minValuesPolicy?: 'Strict' | 'BestEffort';
  /** Zone ids that traffic is led away from. */
  readonly shiftedZones?: ReadonlySet<string>;
}

const X86 = { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] } as const;
const ARM = { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] } as const;
const GPUS = 'karpenter.k8s.aws/instance-gpu-count';
const ACCELERATORS = 'karpenter.k8s.aws/instance-accelerator-count';
const NO_GPUS = { key: GPUS, operator: 'DoesNotExist' } as const;
const NO_ACCELERATORS = { key: ACCELERATORS, operator: 'DoesNotExist' } as const;

/** The images of AL2023, as a class's status names them. */
export const AMIS: readonly AMIStatus[] = [
  { id: 'ami-al2023-x8664-standard', requirements: [X86, NO_ACCELERATORS, NO_GPUS] },
  { id: 'ami-al2023-arm64-standard', requirements: [ARM, NO_ACCELERATORS, NO_GPUS] },
  { id: 'ami-al2023-x8664-nvidia', requirements: [X86, { key: GPUS, operator: 'Exists' }] },
  { id: 'ami-al2023-x8664-neuron', requirements: [X86, { key: ACCELERATORS, operator: 'Exists' }] },
];

/** The launch path with everything that it needs of the provider, over an account in process; no Kubernetes API. */
export class LaunchRig {
  readonly clock = new VirtualClock();
  readonly aws: FakeAws;
  readonly metrics = new CountedMetrics();
  readonly events: Event[] = [];
  readonly logged: string[] = [];
  readonly shiftedZones: Set<string>;
  readonly classes = new Map<string, EC2NodeClass>();
  readonly pools = new Map<string, NodePool>();
  readonly unavailableOfferings: UnavailableOfferingsCache;
  readonly capacityReservations: Ec2CapacityReservationProvider;
  readonly instanceTypes: DefaultInstanceTypeProvider;
  readonly instances: Ec2InstanceProvider;
  readonly cloud: AwsCloudProvider;
  readonly #subnets: DefaultSubnetProvider;
  readonly #launchTemplates: DefaultLaunchTemplateProvider;

  constructor({
    reservedCapacity = true,
    minValuesPolicy = 'Strict',
    shiftedZones = new Set(),
  }: LaunchRigOptions = {}) {
    const { clock, metrics, classes, pools } = this;
    this.shiftedZones = new Set(shiftedZones);
    this.aws = fakeAws(clock);
    const { apis, cloud: account } = this.aws;
    const log = { ...SILENT, error: (message: string) => void this.logged.push(message) };
    const options = { ...DEFAULT_AWS_OPTIONS, clusterName: TEST_CLUSTER };
    const base = { ec2: apis.ec2, clock, metrics, log, options, reservedCapacity, region: TEST_REGION };
    this.#subnets = new DefaultSubnetProvider(base);
    this.unavailableOfferings = new UnavailableOfferingsCache(base);
    this.capacityReservations = new Ec2CapacityReservationProvider(base);
    const zonalShift = {
      isShifted: (zone: string) => this.shiftedZones.has(zone),
      shiftedZones: () => this.shiftedZones,
    };
    const market = {
      zonalShift,
      unavailableOfferings: this.unavailableOfferings,
      capacityReservations: this.capacityReservations,
      placementGroups: new Ec2PlacementGroupProvider(base),
      pricing: {
        version: 0,
        onDemandPrice: (type: string) => account.onDemandPrices.get(type),
        spotPrice: (type: string, zone: string) => account.spotPrice(type, zone),
      },
    };
    const overlayPrices = new OverlayPrices({ clock, nodeOverlays: () => [] });
    const offerings = new Ec2OfferingProvider({ ...base, ...market, overlayPrices });
    const expressions = undefined;
    this.instanceTypes = new DefaultInstanceTypeProvider({ ...base, ...market, offerings, expressions });
    this.#launchTemplates = new DefaultLaunchTemplateProvider({
      ...{ ...base, ...market, apis, expressions },
      clusterEndpoint: 'https://cluster.example',
      infoOf: (name) => this.instanceTypes.infos.get(name),
    });
    const recorder = { publish: (...events: readonly Event[]) => void this.events.push(...events) };
    this.instances = new Ec2InstanceProvider({
      ...{
        ...base,
        ...market,
        subnets: this.#subnets,
        launchTemplates: this.#launchTemplates,
        recorder,
        minValuesPolicy,
      },
      clusterName: TEST_CLUSTER,
    });
    this.cloud = new AwsCloudProvider({
      ...{ ...base, ...market, recorder, instances: this.instances, instanceTypes: this.instanceTypes },
      clusterName: TEST_CLUSTER,
      takeOver: async () => {},
      nodeClasses: { get: async (name) => classes.get(name) },
      nodePool: (name) => pools.get(name),
      hashOf: () => 'hash',
    });
  }

  /** Looks up what EC2 sells, and takes up a ready class named `default` with the account's subnets, and its pool. */
  async start(overrides: Overrides<EC2NodeClass> = {}): Promise<EC2NodeClass> {
    await this.instanceTypes.updateInstanceTypes();
    await this.instanceTypes.updateInstanceTypeOfferings();
    await this.#launchTemplates.resolveClusterCIDR();
    const InstanceProfileName = 'profile';
    if (!this.aws.cloud.profiles.has(InstanceProfileName)) {
      await this.aws.apis.iam.createInstanceProfile({ InstanceProfileName });
    }
    const nodeClass = this.#readyClass(overrides);
    this.classes.set(nodeClass.metadata.name, nodeClass);
    this.pools.set(
      'pool',
      nodePool({ metadata: { name: 'pool' }, spec: { template: { spec: { nodeClassRef: REF } } } }),
    );
    await this.#subnets.list(nodeClass);
    await this.capacityReservations.list(nodeClass.spec.capacityReservationSelectorTerms ?? []);
    return nodeClass;
  }

  claim(overrides: Overrides<NodeClaim> = {}): NodeClaim {
    const { metadata, spec, status } = overrides;
    return nodeClaim({
      metadata: { ...metadata, labels: { 'karpenter.sh/nodepool': 'pool', ...metadata?.labels } },
      spec: { requirements: [], ...spec, nodeClassRef: REF },
      ...(status ? { status } : {}),
    });
  }

  /** Lets the work end that waits for this clock. */
  async finish<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const done = () => {
      settled = true;
    };
    work.then(done, done);
    await this.clock.runUntil(() => settled, 60_000);
    return await work;
  }

  async create(claim: NodeClaim = this.claim()): Promise<NodeClaim> {
    return await this.finish(this.cloud.create(claim));
  }

  /** The fleets that were asked for, oldest first. */
  get fleets(): readonly CreateFleetRequest[] {
    return this.aws.calls.inputs<CreateFleetRequest>('createFleet');
  }

  #readyClass(overrides: Overrides<EC2NodeClass>): EC2NodeClass {
    const { cloud } = this.aws;
    const base = ec2NodeClass({
      metadata: { name: 'default', uid: 'class-uid', generation: 1 },
      spec: {
        subnetSelectorTerms: [{ tags: { [DISCOVERY_TAG]: TEST_CLUSTER } }],
        securityGroupSelectorTerms: [{ tags: { [DISCOVERY_TAG]: TEST_CLUSTER } }],
      },
    });
    return {
      ...base,
      metadata: { ...base.metadata, ...overrides.metadata } as EC2NodeClass['metadata'],
      spec: { ...base.spec, ...overrides.spec } as EC2NodeClass['spec'],
      status: {
        subnets: cloud.subnets.map(({ SubnetId: id = '', AvailabilityZone: zone = '', AvailabilityZoneId }) => ({
          id,
          zone,
          ...(AvailabilityZoneId ? { zoneID: AvailabilityZoneId } : {}),
        })),
        securityGroups: cloud.securityGroups.map(({ GroupId: id = '' }) => ({ id })),
        amis: AMIS,
        instanceProfile: 'profile',
        conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }],
        capacityReservations: cloud.capacityReservations.map(reservationStatus),
        ...overrides.status,
      } as EC2NodeClass['status'],
    };
  }

  /** A reservation of one m5.large in us-west-2b, of the id cr-1. */
  reserve(more: Partial<CapacityReservation> = {}): void {
    this.aws.cloud.capacityReservations.push({
      CapacityReservationId: 'cr-1',
      InstanceType: 'm5.large',
      AvailabilityZone: 'us-west-2b',
      InstanceMatchCriteria: 'targeted',
      State: 'active',
      AvailableInstanceCount: 1,
      TotalInstanceCount: 1,
      ...more,
    });
  }
}

const REF = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

function reservationStatus(reservation: FakeAws['cloud']['capacityReservations'][number]): CapacityReservationStatus {
  return {
    id: reservation.CapacityReservationId ?? '',
    availabilityZone: reservation.AvailabilityZone ?? '',
    instanceType: reservation.InstanceType ?? '',
    instanceMatchCriteria: reservation.InstanceMatchCriteria ?? 'targeted',
    ownerID: reservation.OwnerId ?? '',
    reservationType: reservation.ReservationType === 'capacity-block' ? 'capacity-block' : 'default',
    interruptible: reservation.Interruptible ?? false,
    state: 'active',
  };
}
