import { ApiServer } from '../../src/apiserver/index.ts';
import { awsDefinitions } from '../../src/aws-provider/apis/crd/index.ts';
import { AWS_GROUP, type EC2NodeClass, Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
import { explainDenials } from '../../src/aws-provider/aws-api/explained-denials.ts';
import { type AwsOptions, DEFAULT_AWS_OPTIONS } from '../../src/aws-provider/aws-options.ts';
import { InstanceProfileGarbageCollection } from '../../src/aws-provider/controllers/instance-profile-gc/controller.ts';
import { NodeClassController } from '../../src/aws-provider/controllers/nodeclass/controller.ts';
import { NodeClassHash } from '../../src/aws-provider/controllers/nodeclass/hash/controller.ts';
import type { KubeletExpressions } from '../../src/aws-provider/kubelet/expressions.ts';
import { InstanceProfiles } from '../../src/aws-provider/providers/instance-profile/instance-profile-provider.ts';
import { addIndexes } from '../../src/controllers/indexes.ts';
import { Objects } from '../../src/controllers/objects.ts';
import type { Event } from '../../src/events/recorder.ts';
import type { Client, Resource } from '../../src/kube/client.ts';
import type { Reconciled } from '../../src/kube/controller.ts';
import { ignoreNotFound } from '../../src/kube/errors.ts';
import { Informers } from '../../src/kube/informers.ts';
import { Manager } from '../../src/kube/manager.ts';
import type { Condition, KubeObject } from '../../src/kube/objects.ts';
import { CustomResourceDefinitions, NodeClaims, NodePools } from '../../src/kube/resources.ts';
import { concurrencyOf } from '../../src/operator/concurrency.ts';
import { SeededRandom } from '../../src/operator/random.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';
import { ec2NodeClass } from '../factories/ec2-node-class.ts';
import type { Overrides } from '../factories/merge.ts';
import { type FakeAws, fakeAws, TEST_CLUSTER, TEST_REGION } from './fake-ec2.ts';
import { FakeFindings } from './fake-findings.ts';

export interface NodeClassWorldOptions extends Partial<AwsOptions> {
  readonly reservedCapacity?: boolean;
  readonly expressions?: KubeletExpressions;
  /** The controllers' client, made from the usual one. */
  readonly client?: (base: Client) => Client;
}

/** An embedded API with the definitions of a cluster on EC2, and its time; tests may follow each other on it. */
export class NodeClassApi {
  readonly clock: VirtualClock;
  readonly server: ApiServer;

  private constructor(clock: VirtualClock, server: ApiServer) {
    this.clock = clock;
    this.server = server;
  }

  /** @param withoutRules classes are taken whatever is in them, as with older definitions. */
  static async open({ withoutRules = false } = {}): Promise<NodeClassApi> {
    const clock = new VirtualClock();
    const server = await ApiServer.open({ clock, random: new SeededRandom(1) });
    for (const definition of awsDefinitions()) {
      const text = JSON.stringify(definition);
      const taken = withoutRules ? text.replaceAll('x-kubernetes-validations', 'x-nothing') : text;
      await server.client('test').create(CustomResourceDefinitions, JSON.parse(taken) as KubeObject);
    }
    await clock.settle();
    return new NodeClassApi(clock, server);
  }

  /** Takes all objects away. */
  async empty(): Promise<void> {
    const client = this.server.client('test');
    for (const resource of [Ec2NodeClasses, NodeClaims, NodePools] as readonly Resource<KubeObject>[]) {
      for (const { metadata } of (await client.list(resource)).items) {
        const body = { metadata: { finalizers: null } };
        await client.patch(resource, { name: metadata.name }, { type: 'merge', body });
        await client.delete(resource, { name: metadata.name }).catch(ignoreNotFound);
      }
    }
  }

  async close(): Promise<void> {
    await this.server.stop();
  }
}

/** The controllers of EC2NodeClasses on an embedded API and virtual time; what EC2 has to select from is given. */
export class NodeClassWorld {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly aws: FakeAws;
  readonly findings: FakeFindings;
  readonly profiles: InstanceProfiles;
  readonly events: Event[] = [];
  readonly logged: string[] = [];
  readonly reconciled: Reconciled[] = [];
  readonly #api: ApiServer;
  readonly #stop = new AbortController();

  private constructor({ clock, server }: NodeClassApi) {
    this.clock = clock;
    this.client = server.client('test');
    this.aws = fakeAws(clock);
    this.findings = new FakeFindings(this.aws);
    this.profiles = new InstanceProfiles({ iam: explainDenials(this.aws.apis).iam, clock: this.clock });
    this.#api = server;
  }

  static async open(api: NodeClassApi, options: NodeClassWorldOptions = {}): Promise<NodeClassWorld> {
    await api.empty();
    const world = new NodeClassWorld(api);
    world.#start(options);
    await world.clock.settle();
    return world;
  }

  /** Makes a class named `default`, and lets the controllers look at it until they have nothing more to write. */
  async create(overrides: Overrides<EC2NodeClass> = {}): Promise<EC2NodeClass> {
    const named = { metadata: { name: 'default' } };
    await this.client.create(
      Ec2NodeClasses,
      ec2NodeClass({ ...overrides, metadata: { ...named.metadata, ...overrides.metadata } }),
    );
    await this.clock.advance(1000);
    return await this.nodeClass();
  }

  async nodeClass(): Promise<EC2NodeClass> {
    return await this.client.get(Ec2NodeClasses, { name: 'default' });
  }

  /** Changes the class's spec, and lets the controllers look at it. */
  async edit(spec: object): Promise<EC2NodeClass> {
    await this.client.patch(Ec2NodeClasses, { name: 'default' }, { type: 'merge', body: { spec } });
    await this.clock.advance(1000);
    return await this.nodeClass();
  }

  async delete(): Promise<void> {
    await this.client.delete(Ec2NodeClasses, { name: 'default' });
    await this.clock.settle();
  }

  async condition(type: string): Promise<Pick<Condition, 'status' | 'reason' | 'message'> | undefined> {
    const found = (await this.nodeClass()).status?.conditions?.find((condition) => condition.type === type);
    return found && { status: found.status, reason: found.reason, message: found.message };
  }

  /** Lets time pass, and tells how many times the controller has looked in it. */
  async looksWithin(ms: number): Promise<number> {
    this.reconciled.length = 0;
    await this.clock.advance(ms);
    return this.reconciled.filter(({ controller }) => controller === 'nodeclass').length;
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the test is over'));
    await this.clock.settle();
  }

  #start({ reservedCapacity = true, expressions, client: made, ...changes }: NodeClassWorldOptions): void {
    const { clock, aws, findings } = this;
    const random = new SeededRandom(2);
    const usual = this.#api.client('karpenter');
    const client = made?.(usual) ?? usual;
    const informers = new Informers({ client, clock, random });
    addIndexes(informers);
    const objects = { client, clock, informers };
    const deps = {
      ...objects,
      ...findings.providers,
      random,
      reservedCapacity,
      expressions,
      region: TEST_REGION,
      options: { ...DEFAULT_AWS_OPTIONS, clusterName: TEST_CLUSTER, ...changes },
      caBundle: 'Y2E=',
      cloud: { supportedNodeClasses: () => [{ ...Ec2NodeClasses, group: AWS_GROUP }] } as never,
      ec2: explainDenials(aws.apis).ec2,
      instanceProfiles: this.profiles,
      recorder: { publish: (...events: readonly Event[]) => void this.events.push(...events) },
      log: {
        debug: () => {},
        info: () => {},
        error: (message: string) => void this.logged.push(message),
      },
      nodeClasses: new Objects(objects, Ec2NodeClasses),
      nodeClaims: new Objects(objects, NodeClaims),
      nodePools: new Objects(objects, NodePools),
    };
    const manager = new Manager({ clock, informers, onReconciled: (end) => this.reconciled.push(end) });
    const controllers = [
      new NodeClassController(deps),
      new NodeClassHash(deps),
      new InstanceProfileGarbageCollection(deps),
    ];
    for (const controller of controllers) manager.add(controller, concurrencyOf(controller.name, 1000));
    void manager.run(this.#stop.signal);
  }
}
