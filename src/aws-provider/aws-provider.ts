import { ConditionSet } from '../apis/conditions.ts';
import type { ControllerContext } from '../controllers/context.ts';
import { StatusController } from '../controllers/status/status-controller.ts';
import type { Client } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import type { ControllerSpec } from '../kube/controller.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { OperatorOptions } from '../operator/options.ts';
import { ec2NodeClassConditions } from './apis/condition-types.ts';
import { Ec2NodeClasses } from './apis/ec2-node-class.ts';
import { ec2NodeClassHash } from './apis/hash/ec2-node-class-hash.ts';
import type { AwsApis } from './aws-api/apis.ts';
import { explainDenials } from './aws-api/explained-denials.ts';
import type { AwsOptions } from './aws-options.ts';
import { UnavailableOfferingsCache } from './cache/unavailable-offerings.ts';
import { AwsCloudProvider } from './cloud-provider.ts';
import { ClusterView } from './cluster-view.ts';
import { CapacityTypeController } from './controllers/capacity-reservation/capacity-type.ts';
import { CapacityReservationExpiration } from './controllers/capacity-reservation/expiration.ts';
import { InstanceProfileGarbageCollection } from './controllers/instance-profile-gc/controller.ts';
import { InstanceStatusController } from './controllers/interruption/instance-status/instance-status.ts';
import { Interruption } from './controllers/interruption/interruption.ts';
import { InterruptionHandler } from './controllers/interruption/interruption-handler.ts';
import { OfferingMetrics } from './controllers/metrics/offering-metrics.ts';
import { InstanceGarbageCollection } from './controllers/nodeclaim/garbage-collection.ts';
import { TaggingController } from './controllers/nodeclaim/tagging.ts';
import { NodeClassController } from './controllers/nodeclass/controller.ts';
import { NodeClassHash } from './controllers/nodeclass/hash/controller.ts';
import { NodeClassSoldOut } from './controllers/nodeclass/sold-out/controller.ts';
import { restoreSoldOut } from './controllers/nodeclass/sold-out/restore.ts';
import { InstanceTypeController } from './controllers/providers/instance-type.ts';
import { InstanceTypeCapacityController } from './controllers/providers/instance-type-capacity.ts';
import { PricingController } from './controllers/providers/pricing.ts';
import { SsmInvalidationController } from './controllers/providers/ssm-invalidation.ts';
import { VersionController } from './controllers/providers/version.ts';
import { ZonalShiftController } from './controllers/zonal-shift/zonal-shift.ts';
import { onDemandListPrices } from './data/ec2-data.ts';
import { KubeletExpressions } from './kubelet/expressions.ts';
import { PlacementGroupRegistrationHook } from './placement-group-registration-hook.ts';
import { DefaultAmiProvider } from './providers/ami-family/ami-provider.ts';
import { Ec2CapacityReservationProvider } from './providers/capacity-reservation/capacity-reservation-provider.ts';
import { Ec2InstanceProvider } from './providers/instance/instance-provider.ts';
import { InstanceProfiles } from './providers/instance-profile/instance-profile-provider.ts';
import { InstanceStatusProvider } from './providers/instance-status/instance-status-provider.ts';
import { DefaultInstanceTypeProvider } from './providers/instance-type/instance-type-provider.ts';
import { Ec2OfferingProvider } from './providers/instance-type/offering/offering-provider.ts';
import { OverlayPrices } from './providers/instance-type/offering/overlay-prices.ts';
import { DefaultLaunchTemplateProvider } from './providers/launch-template/launch-template-provider.ts';
import { Ec2PlacementGroupProvider } from './providers/placement-group/placement-group-provider.ts';
import { Ec2PricingProvider } from './providers/pricing/pricing-provider.ts';
import { SecurityGroups } from './providers/security-group/security-group-provider.ts';
import { SqsProvider } from './providers/sqs/sqs-provider.ts';
import { DefaultSsmProvider } from './providers/ssm/ssm-provider.ts';
import { DefaultSubnetProvider } from './providers/subnet/subnet-provider.ts';
import { DefaultVersionProvider, type ServerVersion } from './providers/version/version-provider.ts';
import { ArcZonalShiftProvider, NO_ZONAL_SHIFTS } from './providers/zonal-shift/zonal-shift-provider.ts';
import { startUp } from './start-up.ts';
import { failed } from './start-up-error.ts';

export interface AwsProviderDeps {
  readonly apis: AwsApis;
  readonly region: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly options: Pick<OperatorOptions, 'featureGates' | 'minValuesPolicy'>;
  readonly awsOptions: AwsOptions;
  readonly serverVersion: ServerVersion;
  /** PEM text of the authority that signed the API server's certificate. */
  readonly clusterCA: string;
}

/** EC2 behind the provider contract, and the controllers that come with it. */
export interface AwsProvider {
  readonly cloud: AwsCloudProvider;
  /** Made once, over what core's controllers are made from. */
  readonly controllers: (context: ControllerContext) => readonly ControllerSpec[];
}

/**
 * Wires the EC2 provider: the one place that knows which of its parts share what. Asks AWS for what has to be known first
 * (aws-provider.md section 1).
 *
 * @throws {StartUpError} when the controller can't work like that.
 */
export async function openAwsProvider(deps: AwsProviderDeps, signal?: AbortSignal): Promise<AwsProvider> {
  const apis = explainDenials(deps.apis);
  const { region, client, clock, random, log, metrics, awsOptions } = deps;
  const { ec2, eks, iam, ssm: ssmApi, pricing: pricingApi, sqs } = apis;
  const { ReservedCapacity: reservedCapacity, NodeOverlay } = deps.options.featureGates;
  const { clusterName, isolatedVPC } = awsOptions;
  const base = { ec2, eks, clock, log, metrics, region, clusterName, options: awsOptions, reservedCapacity };

  const discovered = await startUp({ apis, client, log, options: awsOptions, clusterCA: deps.clusterCA }, signal);
  const version = new DefaultVersionProvider({ ...base, serverVersion: deps.serverVersion });
  await required('kubernetes version', () => version.update(signal));
  const expressions = awsOptions.awsFeatureGates.NodeClassCEL ? await KubeletExpressions.load(clock) : undefined;

  const cluster = new ClusterView(client);
  const ssm = new DefaultSsmProvider({ ...base, ssm: ssmApi });
  const amis = new DefaultAmiProvider({ ...base, version, ssm });
  const subnets = new DefaultSubnetProvider(base);
  const securityGroups = new SecurityGroups(base);
  const instanceProfiles = new InstanceProfiles({ iam, clock });
  const capacityReservations = new Ec2CapacityReservationProvider(base);
  const placementGroups = new Ec2PlacementGroupProvider(base);
  const pricing = new Ec2PricingProvider({ ...base, pricing: pricingApi, isolatedVPC, listPrices: onDemandListPrices });
  const unavailableOfferings = new UnavailableOfferingsCache(base);
  const { clusterArn } = discovered;
  const zonalShift =
    clusterArn === undefined
      ? NO_ZONAL_SHIFTS
      : new ArcZonalShiftProvider({ ...apis, clock, log, clusterARN: clusterArn });
  const nodeOverlays = () => (NodeOverlay ? cluster.nodeOverlays() : []);
  const market = { pricing, unavailableOfferings, capacityReservations, placementGroups, zonalShift };
  const offerings = new Ec2OfferingProvider({
    ...{ ...base, ...market },
    overlayPrices: new OverlayPrices({ clock, nodeOverlays }),
  });
  const instanceTypes = new DefaultInstanceTypeProvider({ ...base, offerings, placementGroups, expressions });
  await required('instance types', () => instanceTypes.updateInstanceTypes(signal));
  await required('instance type offerings', () => instanceTypes.updateInstanceTypeOfferings(signal));

  const launchTemplates = new DefaultLaunchTemplateProvider({
    ...{ ...base, ...discovered, apis, placementGroups, expressions },
    infoOf: (name) => instanceTypes.infos.get(name),
  });
  const { minValuesPolicy } = deps.options;
  const instances = new Ec2InstanceProvider({
    ...{ ...base, ...market, subnets, launchTemplates, minValuesPolicy },
    recorder: cluster,
  });
  const { caBundle } = discovered;
  const cloud = new AwsCloudProvider({
    ...{ ...base, instances, instanceTypes, capacityReservations, placementGroups },
    takeOver: async (signal) => {
      await zonalShift
        .update(signal)
        .catch((error: unknown) => log.error('failed to hydrate zonal shift cache', error));
      await restoreSoldOut({ ...base, ...market, client }, signal);
      await launchTemplates.hydrate(signal);
    },
    recorder: cluster,
    nodeClasses: cluster,
    nodePool: (name) => cluster.nodePool(name),
    hashOf: (nodeClass) => ec2NodeClassHash(nodeClass, caBundle),
    registrationHooks: [new PlacementGroupRegistrationHook({ instances })],
  });

  const controllers = (context: ControllerContext): readonly ControllerSpec[] => {
    const nodeClasses = cluster.attach(context);
    const shared = { ...context, ...base, nodeClasses, instances, instanceTypes, instanceProfiles, launchTemplates };
    const handler = new InterruptionHandler({ ...context, unavailableOfferings, capacityReservations });
    const { interruptionQueue: queueName } = awsOptions;
    return [
      new NodeClassHash({ ...shared, caBundle }),
      new NodeClassController({
        ...{ ...shared, ...market, random, amis, subnets, securityGroups, expressions },
      }),
      new InstanceGarbageCollection(context),
      new TaggingController(shared),
      new NodeClassSoldOut({ ...shared, ...market }),
      new PricingController({ pricing }),
      new InstanceTypeController({ instanceTypes }),
      new InstanceTypeCapacityController({ ...shared, nodeClasses: cluster }),
      new SsmInvalidationController({ ssm, amis, random }),
      new VersionController({ version }),
      new CapacityTypeController(context),
      new CapacityReservationExpiration({ ...context, capacityReservations }),
      new OfferingMetrics({ ...context, reservedCapacity }),
      new ZonalShiftController({ ...context, nodeClasses: cluster, zonalShift }),
      new InstanceStatusController({ ...context, instanceStatus: new InstanceStatusProvider(base), handler }),
      ...(queueName
        ? [new Interruption({ ...context, queue: new SqsProvider({ sqs, log, queueName }), handler })]
        : []),
      ...(isolatedVPC ? [] : [new InstanceProfileGarbageCollection(shared)]),
      new StatusController(context, {
        kind: 'ec2nodeclass',
        resource: Ec2NodeClasses,
        conditionsOf: (nodeClass) =>
          new ConditionSet(nodeClass, ec2NodeClassConditions(reservedCapacity), clock.now()).conditions,
        labels: [],
        deprecated: true,
      }),
    ];
  };
  return { cloud, controllers };
}

/** Without it nothing can be decided, so that the controller had better not start. */
async function required(what: string, load: () => Promise<void>): Promise<void> {
  try {
    await load();
  } catch (cause) {
    throw failed(`can't load ${what}`, cause);
  }
}
