import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { EC2NodeClass } from '../../src/aws-provider/apis/ec2-node-class.ts';
import { KubeletExpressions } from '../../src/aws-provider/kubelet/expressions.ts';
import type { PlacementGroup } from '../../src/aws-provider/providers/contracts.ts';
import {
  DefaultLaunchTemplateProvider,
  type LaunchTemplateProviderDeps,
} from '../../src/aws-provider/providers/launch-template/launch-template-provider.ts';
import type { LogFields } from '../../src/logging/logger.ts';
import type { GaugeSeries } from '../../src/metrics/metrics.ts';
import type { InstanceType, Offering } from '../../src/scheduling/instance-type.ts';
import { Requirements } from '../../src/scheduling/requirements.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';
import { ec2NodeClass } from '../factories/ec2-node-class.ts';
import type { Overrides } from '../factories/merge.ts';
import { nodeClaim } from '../factories/node-claim.ts';
import { ec2Type } from './ec2-types.ts';
import { fakeAws } from './fake-ec2.ts';

type Deps = Partial<Omit<LaunchTemplateProviderDeps, 'placementGroups'>> & { readonly placementGroup?: PlacementGroup };

/** What is launched, unless told otherwise: an m5.large on demand for a class with one image. */
export interface Launch {
  readonly spec?: Overrides<EC2NodeClass['spec']>;
  readonly status?: Overrides<NonNullable<EC2NodeClass['status']>>;
  readonly claim?: Overrides<NodeClaim>;
  readonly types?: readonly InstanceType[];
  readonly capacityType?: string;
}

const CLASS_STATUS = {
  amis: [{ id: 'ami-1', requirements: [] }],
  securityGroups: [{ id: 'sg-1' }, { id: 'sg-2' }],
  instanceProfile: 'profile',
};

export const TAGS = { 'eks:eks-cluster-name': 'test-cluster', 'karpenter.k8s.aws/ec2nodeclass': 'default' };

/** A type with room for some pods, and what else it has in count. */
export function instanceType(
  name = 'm5.large',
  pods = 29,
  counts: Readonly<Record<string, number>> = {},
  offerings: readonly Offering[] = [],
): InstanceType {
  const capacity = Object.fromEntries(Object.entries({ pods, ...counts }).map(([key, count]) => [key, count * 1000]));
  return { name, requirements: new Requirements(), offerings, capacity, overhead: {} };
}

/** Launch templates in an account of AWS, on a clock that is moved by hand. */
export function launchTemplateWorld({ placementGroup, ...overrides }: Deps = {}) {
  const clock = new VirtualClock();
  const aws = fakeAws(clock);
  const lines: [message: string, fields: LogFields][] = [];
  const line = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
  let series: () => GaugeSeries = () => ({});
  const templates = new DefaultLaunchTemplateProvider({
    apis: aws.apis,
    clock,
    log: { debug: line, info: line, error: (message, _error, fields) => line(message, fields) },
    metrics: { count() {}, gauge() {}, observe() {}, collect: (compute) => (series = compute) },
    options: { clusterName: 'test-cluster' },
    placementGroups: { get: async () => placementGroup, known: () => placementGroup },
    clusterEndpoint: 'https://test-cluster.eks.example',
    caBundle: 'Y2EtYnVuZGxl',
    reservedCapacity: true,
    region: 'us-west-2',
    infoOf: ec2Type,
    expressions: undefined,
    ...overrides,
  });

  const ensure = async ({
    spec = {},
    status,
    claim,
    types = [instanceType()],
    capacityType = 'on-demand',
  }: Launch = {}) =>
    await templates.ensureAll(
      ec2NodeClass({ metadata: { name: 'default' }, spec, status: { ...CLASS_STATUS, ...status } }),
      nodeClaim(claim),
      types,
      capacityType,
      TAGS,
      'default',
    );

  return {
    clock,
    aws,
    templates,
    lines,
    ensure,
    messages: () => lines.map(([message]) => message),
    /** Names of the templates that EC2 has. */
    names: () => [...aws.cloud.launchTemplates.keys()],
    /** By class, in bytes. */
    userDataSizes: () => [...(series().ec2nodeclasses_userdata_bytes ?? [])],
    /** The content of the only template that the launch needs. */
    async content(launch: Launch = {}): Promise<RequestLaunchTemplateData> {
      await templates.resolveClusterCIDR();
      const [template, ...more] = await ensure(launch);
      if (!template || more.length > 0) throw new Error('expected one launch template');
      return aws.cloud.launchTemplates.get(template.name)?.data ?? {};
    },
  };
}

export const userDataOf = ({ UserData = '' }: RequestLaunchTemplateData): string =>
  Buffer.from(UserData, 'base64').toString();

export const loadExpressions = async (): Promise<KubeletExpressions> =>
  await KubeletExpressions.load(new VirtualClock());
