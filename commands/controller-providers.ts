import { KWOK_ACCESS } from '../kwok-provider/access.ts';
import { KwokNodeClasses } from '../kwok-provider/apis/kwok-node-class.ts';
import { KWOK_NODE_CLASS_DEFINITION } from '../kwok-provider/apis/kwok-node-class-definition.ts';
import { KwokCloudProvider, kwokFacts } from '../kwok-provider/cloud-provider.ts';
import { Interruption } from '../kwok-provider/interruption/controller.ts';
import type { CustomResourceDefinition } from '../src/apis/crds/definition.ts';
import { CORE_DEFINITIONS } from '../src/apis/crds/index.ts';
import type { CatalogueSource } from '../src/cli/catalogue-names.ts';
import { givenOptions } from '../src/cli/flags/controller-flags.ts';
import { UsageError } from '../src/cli/user-error.ts';
import type { CloudProvider } from '../src/cloudprovider/types.ts';
import type { ControllerContext } from '../src/controllers/context.ts';
import type { AccessRule } from '../src/kube/access-rule.ts';
import type { Client, Resource } from '../src/kube/client.ts';
import type { Clock, Random } from '../src/kube/clock.ts';
import type { ClusterAccess } from '../src/kube/cluster-access.ts';
import type { ControllerSpec } from '../src/kube/controller.ts';
import type { HttpClient } from '../src/kube/http-client.ts';
import type { Logger } from '../src/logging/logger.ts';
import type { Metrics } from '../src/metrics/metrics.ts';
import type { OperatorOptions } from '../src/operator/options.ts';
import { controllerAwsFlags } from './controller-aws-flags.ts';
import { kwokCatalogue } from './kwok-catalogue.ts';

export type ProviderName = 'aws' | 'kwok';

/** What metrics must know of a provider before it can be built. */
export type ProviderFacts = Pick<CloudProvider, 'name' | 'wellKnownLabels' | 'supportedNodeClasses'>;

/** What a provider is built over. */
export interface ProviderParts {
  readonly client: Client;
  /** The same without measuring, for what is not an object. */
  readonly http: Pick<HttpClient, 'raw'>;
  /** How the cluster is reached. */
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly options: OperatorOptions;
  readonly version: string;
}

export interface ConnectedProvider {
  readonly cloud: CloudProvider;
  readonly controllers?: (context: ControllerContext) => readonly ControllerSpec[];
}

/** A provider whose settings have been read. */
export interface OpenedProvider {
  readonly facts: ProviderFacts;
  /** Throws a UserError when the cloud can't be used. */
  connect(parts: ProviderParts, signal: AbortSignal): Promise<ConnectedProvider>;
}

/** Where nodes come from, as far as the command `controller` has to know. */
export interface ControllerProvider {
  readonly nodeClasses: Resource;
  /** Rights in the cluster beyond core's. */
  readonly access: readonly AccessRule[];
  readonly definitions: readonly CustomResourceDefinition[];
  /** Throws a UserError or UsageError for settings that it can't take. */
  open(): Promise<OpenedProvider>;
}

/** The flags of the command. */
export type ControllerFlags = Readonly<Record<string, unknown>> & {
  readonly catalog?: CatalogueSource['catalog'];
  readonly 'instance-types-file-path'?: string | undefined;
};
export type Environment = Readonly<Record<string, string | undefined>>;

/** The provider of that name with these flags. */
export async function controllerProvider(
  name: ProviderName,
  flags: ControllerFlags,
  environment: Environment,
): Promise<ControllerProvider> {
  if (name === 'kwok') return kwokProvider(flags);
  const { awsProvider } = await import('./controller-aws-provider.ts');
  return await awsProvider(flags, environment);
}

function kwokProvider(flags: ControllerFlags): ControllerProvider {
  return {
    nodeClasses: KwokNodeClasses,
    access: KWOK_ACCESS,
    definitions: [...CORE_DEFINITIONS, KWOK_NODE_CLASS_DEFINITION],
    open: async () => {
      const [stray] = Object.keys(givenOptions(controllerAwsFlags, flags));
      if (stray !== undefined) throw new UsageError(`--${stray} is an option of --provider aws`);
      const { instanceTypes } = await kwokCatalogue({
        catalog: flags.catalog,
        'instance-types': flags['instance-types-file-path'],
      });
      return {
        facts: kwokFacts(instanceTypes),
        connect: async ({ client, clock }) => ({
          cloud: new KwokCloudProvider({ client, clock, instanceTypes }),
          controllers: (context) => [new Interruption(context)],
        }),
      };
    },
  };
}
