import type { CapacityReservation, SecurityGroup, Subnet } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '../../src/aws-provider/apis/ec2-node-class.ts';
import type {
  Ami,
  AmiProvider,
  CapacityReservationProvider,
  InstanceTypeProvider,
  LaunchTemplateProvider,
  PlacementGroup,
  PlacementGroupProvider,
  SecurityGroupProvider,
  SubnetProvider,
} from '../../src/aws-provider/providers/contracts.ts';
import type { InstanceType } from '../../src/scheduling/instance-type.ts';
import { Requirements } from '../../src/scheduling/requirements.ts';
import type { FakeAws } from './fake-ec2.ts';

export const STANDARD_AMI: Ami = {
  id: 'ami-standard',
  name: 'standard',
  creationDate: '2026-01-01T00:00:00Z',
  requirements: [
    { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
    { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'DoesNotExist' },
    { key: 'karpenter.k8s.aws/instance-accelerator-count', operator: 'DoesNotExist' },
  ],
};

export const GPU_AMI: Ami = {
  id: 'ami-gpu',
  name: 'gpu',
  creationDate: '2026-01-01T00:00:00Z',
  requirements: [
    { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
    { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'Exists' },
  ],
};

/** A type as the provider lists it, without offerings. */
export function fakeInstanceType(name: string, { arch = 'amd64', gpus = 0 } = {}): InstanceType {
  const requirements = Requirements.fromItems([
    { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [name] },
    { key: 'kubernetes.io/arch', operator: 'In', values: [arch] },
    { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
    { key: 'karpenter.k8s.aws/instance-accelerator-count', operator: 'DoesNotExist' },
    gpus > 0
      ? { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'In', values: [String(gpus)] }
      : { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'DoesNotExist' },
  ]);
  return { name, requirements, offerings: [], capacity: {}, overhead: {} };
}

type Providers = {
  readonly amis: AmiProvider;
  readonly subnets: Pick<SubnetProvider, 'list'>;
  readonly securityGroups: SecurityGroupProvider;
  readonly capacityReservations: Pick<CapacityReservationProvider, 'list'>;
  readonly placementGroups: Pick<PlacementGroupProvider, 'get'>;
  readonly instanceTypes: Pick<InstanceTypeProvider, 'list' | 'filterForNodeClass' | 'tryKubeletExpressions'>;
  readonly launchTemplates: Pick<LaunchTemplateProvider, 'ensureAll' | 'resolveClusterCIDR' | 'deleteAll'>;
};

/** What the providers find: lists to change, and errors to throw instead by the name of the provider's call. */
export class FakeFindings {
  amis: readonly Ami[] = [STANDARD_AMI];
  subnets: readonly Subnet[];
  securityGroups: readonly SecurityGroup[];
  capacityReservations: readonly CapacityReservation[] = [];
  placementGroup: PlacementGroup | undefined;
  instanceTypes: readonly InstanceType[] = [fakeInstanceType('m5.large')];
  readonly errors = new Map<string, Error>();
  /** Calls of ensureAll. */
  readonly launches: { readonly types: readonly string[]; readonly tags: object; readonly tenancy: string }[] = [];
  /** Names of classes whose launch templates were deleted. */
  readonly cleaned: string[] = [];
  readonly providers: Providers;

  constructor(aws: FakeAws) {
    this.subnets = aws.cloud.subnets;
    this.securityGroups = aws.cloud.securityGroups;
    this.providers = {
      amis: { list: async () => this.#found('amis', this.amis) },
      subnets: { list: async () => this.#found('subnets', this.subnets) },
      securityGroups: { list: async () => this.#found('securityGroups', this.securityGroups) },
      capacityReservations: { list: async () => this.#found('capacityReservations', this.capacityReservations) },
      placementGroups: { get: async () => this.#found('placementGroup', this.placementGroup) },
      instanceTypes: {
        list: async () => this.#found('instanceTypes', this.instanceTypes),
        filterForNodeClass: (types) => types,
        tryKubeletExpressions: () => this.#found('tryKubeletExpressions', undefined),
      },
      launchTemplates: {
        ensureAll: async (_nodeClass, _claim, types, _capacityType, tags, tenancy) => {
          this.launches.push({ types: types.map(({ name }) => name), tags, tenancy });
          this.#found('ensureAll', undefined);
          const name = 'template';
          if (!aws.cloud.launchTemplates.has(name)) {
            await aws.apis.ec2.createLaunchTemplate({ LaunchTemplateName: name, LaunchTemplateData: {} });
          }
          return [{ name, instanceTypes: types, imageID: 'ami-standard' }];
        },
        resolveClusterCIDR: async () => this.#found('resolveClusterCIDR', undefined),
        deleteAll: async ({ metadata }: EC2NodeClass) => {
          this.#found('deleteAll', undefined);
          this.cleaned.push(metadata.name);
        },
      },
    };
  }

  fail(call: string, error: Error): void {
    this.errors.set(call, error);
  }

  #found<T>(call: string, value: T): T {
    const error = this.errors.get(call);
    if (error) throw error;
    return value;
  }
}
