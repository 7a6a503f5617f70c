import { AWS_ACCESS } from '../../src/aws-provider/access.ts';
import { awsDefinitions } from '../../src/aws-provider/apis/crd/index.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
import type { AwsApis } from '../../src/aws-provider/aws-api/apis.ts';
import { type AwsOptions, DEFAULT_AWS_OPTIONS } from '../../src/aws-provider/aws-options.ts';
import { type AwsProvider, openAwsProvider } from '../../src/aws-provider/aws-provider.ts';
import type { Client } from '../../src/kube/client.ts';
import { type Logger, SILENT } from '../../src/logging/logger.ts';
import { type Metrics, NO_METRICS } from '../../src/metrics/metrics.ts';
import { DEFAULT_OPTIONS, type OperatorOptions } from '../../src/operator/options.ts';
import { TestEnvironment } from '../environment.ts';
import { ec2NodeClass } from '../factories/ec2-node-class.ts';
import type { Overrides } from '../factories/merge.ts';
import { type FakeAws, fakeAws, TEST_CLUSTER, TEST_REGION } from './fake-ec2.ts';
import { JoiningInstances } from './joining-instances.ts';

export interface AwsEnvironmentOptions {
  readonly aws?: Partial<AwsOptions>;
  readonly operator?: Partial<OperatorOptions>;
  readonly log?: Logger;
  readonly metrics?: Metrics;
}

/** What one of several controllers has of its own. */
export interface ControllerProcess {
  readonly apis?: AwsApis;
  readonly client?: Client;
  readonly identity?: string;
  readonly log?: Logger;
  readonly metrics?: Metrics;
}

/** The whole controller with the EC2 provider, over an embedded API and an AWS account in process, on virtual time. */
export class AwsEnvironment {
  readonly env: TestEnvironment;
  readonly aws: FakeAws;
  readonly #options: AwsEnvironmentOptions;
  readonly #stop = new AbortController();

  private constructor(env: TestEnvironment, options: AwsEnvironmentOptions) {
    this.env = env;
    this.aws = fakeAws(env.clock);
    this.#options = options;
  }

  static async open(options: AwsEnvironmentOptions = {}): Promise<AwsEnvironment> {
    return new AwsEnvironment(await TestEnvironment.open(1, awsDefinitions()), options);
  }

  /** The provider alone, as a controller that just starts would have it. */
  async provider(process: ControllerProcess = {}): Promise<AwsProvider> {
    const { clock, random } = this.env;
    const { operator, aws } = this.#options;
    const { log = SILENT, metrics = NO_METRICS } = { ...this.#options, ...process };
    return await openAwsProvider({
      apis: process.apis ?? this.aws.apis,
      region: TEST_REGION,
      client: process.client ?? this.env.api.client('karpenter'),
      ...{ clock, random, log, metrics },
      options: { ...DEFAULT_OPTIONS, ...operator },
      awsOptions: { ...DEFAULT_AWS_OPTIONS, clusterName: TEST_CLUSTER, ...aws },
      serverVersion: async () => ({ major: '1', minor: '34' }),
      clusterCA: 'PEM',
    });
  }

  /** Starts the controller; `kill` stops it as if its process had ended. */
  async startOperator(process: ControllerProcess = {}): Promise<ReturnType<TestEnvironment['startOperator']>> {
    const { cloud, controllers } = await this.provider(process);
    const { log, metrics, operator } = this.#options;
    const { apis: _, ...parts } = process;
    return this.env.startOperator(operator, {
      ...{ cloud, providerControllers: controllers, access: AWS_ACCESS, measuresProvider: true },
      ...(log ? { log } : {}),
      ...(metrics ? { metrics } : {}),
      ...parts,
    });
  }

  /**
   * Starts what a cluster has beside Karpenter, and lets instances join it after so many milliseconds.
   *
   * @param missingMiB memory that nodes have less than they are expected to.
   */
  startCluster(bootMs = 20_000, options: Parameters<TestEnvironment['startCluster']>[0] = {}, missingMiB = 0): void {
    const { client, clock } = this.env;
    this.env.startCluster(options);
    const instances = async () =>
      this.aws.cloud.running.map(({ data }) => ({ ...data, State: { Name: 'running' as const } }));
    void new JoiningInstances({ client, clock, instances, bootMs, missingMiB }).run(this.#stop.signal);
  }

  async nodeClass(overrides: Overrides<EC2NodeClass> = {}): Promise<EC2NodeClass> {
    return await this.env.client.create(Ec2NodeClasses, ec2NodeClass(overrides));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.env.close();
  }
}
