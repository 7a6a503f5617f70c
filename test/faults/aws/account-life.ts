import type { Instance } from '@aws-sdk/client-ec2';
import { ignoreNotFound } from '../../../src/kube/errors.ts';
import { Nodes } from '../../../src/kube/resources.ts';
import type { AwsEnvironment } from '../../aws/aws-environment.ts';
import type { FakeQueue } from '../../aws/fake/queue.ts';
import { type FakeInstance, poolOf } from '../../aws/fake-ec2.ts';
import type { SeededChoices } from '../../parity/random.ts';
import { RESERVATION } from './people.ts';

const MINUTE_MS = 60_000;
/** What AWS gives a spot instance from its warning on. */
const WARNING_MS = 2 * MINUTE_MS;
/** A cloud controller takes the nodes of instances away that are gone. */
const CLOUD_CONTROLLER_MS = 10_000;
/** What a pool answers that sells nothing; mostly that it has no capacity. */
const REFUSALS = [undefined, undefined, undefined, 'VcpuLimitExceeded', 'InternalError', 'Unsupported', 'NeverHeardOf'];
const EKS_AMI = 'ami-al2023-x8664-standard';

/** What AWS, the hardware and other people do in the account. */
export class AccountLife {
  readonly #world: AwsEnvironment;
  readonly #choices: SeededChoices;
  readonly #queue: FakeQueue;
  readonly #reopen: (() => void)[] = [];
  #releases = 0;

  constructor(world: AwsEnvironment, choices: SeededChoices, queue: FakeQueue) {
    this.#world = world;
    this.#choices = choices;
    this.#queue = queue;
  }

  /** Takes nodes away whose instances are gone, until the signal aborts. */
  async runCloudController(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#world.env;
    while (!signal.aborted) {
      await clock.sleep(CLOUD_CONTROLLER_MS, signal).catch(() => undefined);
      const running = new Set(this.#running().map(({ data }) => providerIdOf(data)));
      for (const { metadata, spec } of (await client.list(Nodes)).items) {
        if (metadata.deletionTimestamp || running.has(spec.providerID ?? '')) continue;
        await client.delete(Nodes, { name: metadata.name }).catch(ignoreNotFound);
      }
    }
  }

  /** One thing that happens. */
  act(): void {
    this.#choices.pick([
      () => this.#interrupt(),
      () => this.#interrupt(),
      () => this.#die(),
      () => this.#impair(),
      () => this.#retire(),
      () => this.#sellOut(),
      () => this.#sellOut(),
      () => this.#fillSubnet(),
      () => this.#releaseImage(),
      () => this.#deleteTemplates(),
      () => this.#sendGarbage(),
      () => this.#changePrices(),
      () => this.#shiftZone(),
      () => this.#reserve(),
      () => this.#endReservation(),
    ])();
  }

  /** All is on sale again, everywhere. */
  end(): void {
    this.#world.aws.cloud.zonalShifts = [];
    for (const reopen of this.#reopen.splice(0)) reopen();
  }

  #running(): readonly FakeInstance[] {
    return this.#world.aws.cloud.running;
  }

  #any(of = this.#running()): FakeInstance | undefined {
    return of.length > 0 ? this.#choices.pick(of) : undefined;
  }

  /** Mostly warned of; the message may come twice, or not at all. */
  #interrupt(): void {
    const instance = this.#any(this.#running().filter(({ data }) => data.InstanceLifecycle === 'spot'));
    if (!instance) return;
    const { InstanceId: id = '', InstanceType: type = '', Placement } = instance.data;
    const { clock } = this.#world.env;
    const copies = this.#choices.pick([0, 1, 1, 1, 2]);
    for (let i = 0; i < copies; i++) this.#tell('EC2 Spot Instance Interruption Warning', { 'instance-id': id });
    this.#closePool('spot', type, Placement?.AvailabilityZone ?? '');
    clock.setTimeout(() => this.#end(id), WARNING_MS);
  }

  #die(): void {
    const instance = this.#any();
    if (instance) this.#end(instance.data.InstanceId ?? '');
  }

  #end(id: string): void {
    if (!this.#running().some(({ data }) => data.InstanceId === id)) return;
    this.#world.aws.cloud.terminate(id);
    if (this.#choices.chance(0.8)) {
      this.#tell('EC2 Instance State-change Notification', { 'instance-id': id, state: 'terminated' });
    }
  }

  #impair(): void {
    const instance = this.#any();
    const kind = this.#choices.pick(['instance', 'system'] as const);
    if (instance) instance.impaired = { kind, since: this.#world.env.clock.now() };
  }

  #retire(): void {
    const instance = this.#any();
    if (instance) instance.events = ['instance-retirement'];
  }

  #sellOut(): void {
    const { cloud } = this.#world.aws;
    const { InstanceType: type = '' } = this.#choices.pick(cloud.instanceTypes);
    for (const zone of this.#choices.some([...cloud.zones.keys()])) {
      this.#closePool(this.#choices.pick(['spot', 'on-demand']), type, zone);
    }
  }

  #closePool(market: string, type: string, zone: string): void {
    const { capacity, poolFailures } = this.#world.aws.cloud;
    const pool = poolOf(market, type, zone);
    const code = this.#choices.pick(REFUSALS);
    if (code === undefined) capacity.set(pool, 0);
    else poolFailures.set(pool, { code });
    this.#later(() => {
      capacity.delete(pool);
      poolFailures.delete(pool);
    });
  }

  #fillSubnet(): void {
    const subnet = this.#choices.pick(this.#world.aws.cloud.subnets);
    const taken = subnet.AvailableIpAddressCount ?? 0;
    subnet.AvailableIpAddressCount = 0;
    this.#later(() => {
      subnet.AvailableIpAddressCount = (subnet.AvailableIpAddressCount ?? 0) + taken;
    });
  }

  /** Undoes something after a while. */
  #later(undo: () => void): void {
    let isDone = false;
    const once = () => {
      if (isDone) return;
      isDone = true;
      undo();
    };
    this.#reopen.push(once);
    this.#world.env.clock.setTimeout(once, this.#choices.integer(1, 40) * MINUTE_MS);
  }

  /** A new image takes the place of the recommended one, which is deprecated. */
  #releaseImage(): void {
    const { cloud } = this.#world.aws;
    const id = `${EKS_AMI}-${++this.#releases}`;
    const parameter = [...cloud.parameters.keys()].find((name) =>
      name.includes('amazon-linux-2023/x86_64/standard/recommended'),
    );
    const old = cloud.images.find(({ ImageId }) => ImageId === cloud.parameters.get(parameter ?? ''));
    if (!old || parameter === undefined) throw new Error('the account recommends no image');
    const now = new Date(this.#world.env.clock.now()).toISOString();
    cloud.images.push({ ...old, ImageId: id, Name: `image-${id}`, CreationDate: now });
    old.DeprecationTime = now;
    cloud.parameters.set(parameter, id);
  }

  /** Somebody cleans up. */
  #deleteTemplates(): void {
    this.#world.aws.cloud.launchTemplates.clear();
  }

  #sendGarbage(): void {
    this.#queue.send(
      this.#choices.pick([
        'no JSON',
        '{"version":"9","source":"aws.ec2"}',
        '',
        `"${'x'.repeat(250_000)}"`,
        { version: '0', source: 'aws.ec2', 'detail-type': 'EC2 Spot Instance Interruption Warning', detail: [] },
      ]),
    );
  }

  /** Traffic is led away from a zone: what runs there can be neither deleted nor tagged. */
  #shiftZone(): void {
    const { cloud } = this.#world.aws;
    const expiryTime = (this.#world.env.clock.now() + this.#choices.integer(1, 8) * MINUTE_MS) / 1000;
    const awayFrom = this.#choices.pick([...cloud.zones.values()]);
    cloud.zonalShifts = [{ awayFrom, expiryTime, appliedStatus: 'APPLIED' }];
  }

  #reserve(): void {
    const { capacityReservations, zones } = this.#world.aws.cloud;
    if (capacityReservations.length > 0) return;
    const count = this.#choices.integer(1, 4);
    capacityReservations.push({
      ...{ CapacityReservationId: RESERVATION, OwnerId: '123456789012', State: 'active' },
      ...{ InstanceType: 'm5.xlarge', AvailabilityZone: this.#choices.pick([...zones.keys()]) },
      ...{ InstanceMatchCriteria: 'targeted', TotalInstanceCount: count, AvailableInstanceCount: count },
    });
  }

  /** What runs in it goes on outside of it. */
  #endReservation(): void {
    this.#world.aws.cloud.capacityReservations.length = 0;
    for (const { data } of this.#running()) delete data.CapacityReservationId;
  }

  #changePrices(): void {
    const { spotPrices } = this.#world.aws.cloud;
    const name = this.#choices.pick([...spotPrices.keys()]);
    spotPrices.set(name, (spotPrices.get(name) ?? 1) * this.#choices.pick([0.5, 0.9, 1.5, 4]));
  }

  #tell(type: string, detail: object): void {
    const time = new Date(this.#world.env.clock.now()).toISOString();
    this.#queue.send({ version: '0', source: 'aws.ec2', 'detail-type': type, time, detail });
  }
}

export const providerIdOf = ({ InstanceId, Placement }: Instance): string =>
  `aws:///${Placement?.AvailabilityZone}/${InstanceId}`;
