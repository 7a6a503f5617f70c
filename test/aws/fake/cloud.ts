import type {
  CapacityReservation,
  Image,
  Instance,
  InstanceTypeInfo,
  LaunchTemplate,
  PlacementGroup,
  RequestLaunchTemplateData,
  SecurityGroup,
  Subnet,
} from '@aws-sdk/client-ec2';
import type { Cluster } from '@aws-sdk/client-eks';
import type { InstanceProfile } from '@aws-sdk/client-iam';
import type { ZonalShiftSummary } from '../../../src/aws-provider/aws-api/apis.ts';
import type { Clock } from '../../../src/kube/clock.ts';
import { FakeQueue } from './queue.ts';

export interface FleetFailure {
  readonly code: string;
  readonly message?: string;
}

export interface FakeInstance {
  readonly data: Instance;
  /** Epoch milliseconds. */
  readonly launchedAt: number;
  readonly reservationId: string;
  stoppedAt?: number;
  terminatedAt?: number;
  /** What is wrong with it: see DescribeInstanceStatus. */
  impaired?: {
    readonly kind: 'instance' | 'system';
    /** Epoch milliseconds. */
    readonly since: number;
  };
  events?: readonly string[];
}

export interface FakeLaunchTemplate {
  readonly template: LaunchTemplate;
  readonly data: RequestLaunchTemplateData;
}

/** How long things take, in milliseconds. */
export interface Durations {
  /** From launch until EC2 tells of the instance. */
  unknown: number;
  /** From launch to `running`. */
  pending: number;
  /** From termination to `terminated`. */
  shuttingDown: number;
  /** From termination until EC2 forgets the instance. */
  forgotten: number;
  /** From the making of an instance profile until EC2 knows it. */
  profile: number;
  /** Of every call. */
  call: number;
}

/** What a spot, on-demand or reserved launch takes from. */
export const poolOf = (capacityType: string, instanceType: string, zone: string): string =>
  `${capacityType}/${instanceType}/${zone}`;

/** An AWS account in one region, as plain data that tests may change at any time. */
export class FakeCloud {
  readonly clock: Clock;
  readonly region: string;
  readonly clusterName: string;
  /** Names of zones, with their ids. */
  readonly zones: Map<string, string>;
  readonly durations: Durations = {
    ...{ unknown: 0, pending: 0, shuttingDown: 0, forgotten: 3_600_000 },
    ...{ profile: 0, call: 0 },
  };

  instanceTypes: InstanceTypeInfo[] = [];
  /** Zones that don't sell a type; all others do. */
  readonly notSoldIn = new Map<string, readonly string[]>();
  /** USD per hour. */
  readonly onDemandPrices = new Map<string, number>();
  /** USD per hour, by `type/zone`. */
  readonly spotPrices = new Map<string, number>();
  subnets: Subnet[] = [];
  securityGroups: SecurityGroup[] = [];
  images: Image[] = [];
  capacityReservations: CapacityReservation[] = [];
  placementGroups: PlacementGroup[] = [];
  readonly launchTemplates = new Map<string, FakeLaunchTemplate>();
  readonly instances = new Map<string, FakeInstance>();

  /** How many instances a pool can still sell (`poolOf`); without limit if absent, none if 0. */
  readonly capacity = new Map<string, number>();
  /** What a pool answers instead of an instance (`poolOf`). */
  readonly poolFailures = new Map<string, FleetFailure>();
  /** A fleet gets so many instances at most, whatever it asks for. */
  maxInstancesPerFleet = Number.POSITIVE_INFINITY;
  /** Milliseconds that EC2's clock is ahead of the controller's. */
  clockAhead = 0;
  /** Pages of all lists are no longer than this. */
  pageLimit = Number.POSITIVE_INFINITY;

  readonly profiles = new Map<string, InstanceProfile>();
  /** Names of roles that exist; all do if undefined. */
  roles?: Set<string>;
  readonly parameters = new Map<string, string>();
  cluster: Cluster;
  readonly queues = new Map<string, FakeQueue>();
  zonalShifts: ZonalShiftSummary[] = [];

  readonly #counters = new Map<string, number>();
  readonly #onLaunch: ((instance: FakeInstance) => void)[] = [];

  constructor(clock: Clock, region: string, clusterName: string, zones: Readonly<Record<string, string>>) {
    this.clock = clock;
    this.region = region;
    this.clusterName = clusterName;
    this.zones = new Map(Object.entries(zones));
    this.cluster = { name: clusterName };
  }

  /** An id that no other thing has: `i-00000000000000001`. */
  newId(prefix: string): string {
    const count = (this.#counters.get(prefix) ?? 0) + 1;
    this.#counters.set(prefix, count);
    return `${prefix}-${count.toString(16).padStart(17, '0')}`;
  }

  /** Tells of each instance as soon as it is launched, for example to make its node. */
  onLaunch(listener: (instance: FakeInstance) => void): void {
    this.#onLaunch.push(listener);
  }

  launched(instance: FakeInstance): void {
    this.instances.set(instance.data.InstanceId ?? '', instance);
    for (const listener of this.#onLaunch) listener(instance);
  }

  /** EC2 sells nothing more from this pool. */
  sellOut(capacityType: string, instanceType: string, zone: string): void {
    this.capacity.set(poolOf(capacityType, instanceType, zone), 0);
  }

  spotPrice(instanceType: string, zone: string): number | undefined {
    return this.spotPrices.get(`${instanceType}/${zone}`);
  }

  addQueue(name: string): FakeQueue {
    const queue = new FakeQueue(this.clock, `https://sqs.${this.region}.amazonaws.com/123456789012/${name}`);
    this.queues.set(name, queue);
    return queue;
  }

  /** The account's owner, EC2 or a fault ends the instance; what it had in its subnet and its reservation is free again. */
  terminate(id: string): void {
    const instance = this.instances.get(id);
    if (!instance || instance.terminatedAt !== undefined) return;
    instance.terminatedAt = this.clock.now();
    const { SubnetId: subnetId, CapacityReservationId: reservationId } = instance.data;
    const subnet = this.subnets.find(({ SubnetId }) => SubnetId === subnetId);
    if (subnet) subnet.AvailableIpAddressCount = (subnet.AvailableIpAddressCount ?? 0) + 1;
    const reservation = this.capacityReservations.find((each) => each.CapacityReservationId === reservationId);
    if (reservation) reservation.AvailableInstanceCount = (reservation.AvailableInstanceCount ?? 0) + 1;
  }

  stop(id: string): void {
    const instance = this.instances.get(id);
    if (instance) instance.stoppedAt ??= this.clock.now();
  }

  stateOf({ launchedAt, stoppedAt, terminatedAt }: FakeInstance): NonNullable<Instance['State']>['Name'] {
    const now = this.clock.now();
    if (terminatedAt !== undefined) {
      return now < terminatedAt + this.durations.shuttingDown ? 'shutting-down' : 'terminated';
    }
    if (stoppedAt !== undefined) return 'stopped';
    return now < launchedAt + this.durations.pending ? 'pending' : 'running';
  }

  /** Whether an instance can be launched with the profile. */
  knowsProfile(name: string): boolean {
    const profile = this.profiles.get(name);
    return profile !== undefined && this.clock.now() >= (profile.CreateDate?.getTime() ?? 0) + this.durations.profile;
  }

  /** Instances that run, for those who look at the account from outside. */
  get running(): readonly FakeInstance[] {
    return [...this.instances.values()].filter(({ terminatedAt }) => terminatedAt === undefined);
  }

  /** Instances that EC2 still tells of, in the order of their launch. */
  visibleInstances(): FakeInstance[] {
    const now = this.clock.now();
    const { unknown, forgotten } = this.durations;
    return [...this.instances.values()].filter(
      ({ launchedAt, terminatedAt }) =>
        now >= launchedAt + unknown && (terminatedAt === undefined || now < terminatedAt + forgotten),
    );
  }
}
