import type {
  CreateFleetRequest,
  InstanceNetworkInterfaceSpecification,
  ResourceType,
  RunInstancesRequest,
} from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { tagList } from '../../../aws-api/tags.ts';
import type { LaunchTemplate } from '../../../providers/contracts.ts';

type Tags = Readonly<Record<string, string>>;

const tagging = (tags: Tags, ...types: readonly ResourceType[]) =>
  types.map((ResourceType) => ({ ResourceType, Tags: tagList(tags) }));

const latest = ({ name }: LaunchTemplate) => ({ LaunchTemplateName: name, Version: '$Latest' });

/** Asks whether the controller may launch a fleet of the class's nodes; launches none. */
export function fleetProbe(nodeClass: EC2NodeClass, template: LaunchTemplate, tags: Tags): CreateFleetRequest {
  const subnets = nodeClass.status?.subnets ?? [];
  return {
    DryRun: true,
    Type: 'instant',
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: latest(template),
        Overrides: template.instanceTypes.flatMap(({ name }) =>
          subnets.map(({ id }) => ({ InstanceType: name as never, SubnetId: id })),
        ),
      },
    ],
    TargetCapacitySpecification: { DefaultTargetCapacityType: 'on-demand', TotalTargetCapacity: 1 },
    OnDemandOptions: { AllocationStrategy: 'lowest-price' },
    TagSpecifications: tagging(tags, 'instance', 'volume', 'fleet'),
  };
}

/** Asks whether the controller may run one of the class's nodes in the subnet; runs none. */
export function instanceProbe(
  nodeClass: EC2NodeClass,
  template: LaunchTemplate,
  tags: Tags,
  subnetID: string,
): RunInstancesRequest {
  return {
    DryRun: true,
    MinCount: 1,
    MaxCount: 1,
    LaunchTemplate: latest(template),
    InstanceType: template.instanceTypes[0]?.name as never,
    NetworkInterfaces: networkInterfaces(nodeClass, subnetID),
    TagSpecifications: tagging(tags, 'instance', 'volume', 'network-interface'),
  };
}

/** Named as the template names them, for they carry the subnet then. */
function networkInterfaces({ spec }: EC2NodeClass, SubnetId: string): InstanceNetworkInterfaceSpecification[] {
  const wanted = spec.networkInterfaces;
  if (!wanted) return [{ DeviceIndex: 0, SubnetId }];
  return wanted.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
    NetworkCardIndex: networkCardIndex,
    DeviceIndex: deviceIndex,
    InterfaceType: interfaceType,
    SubnetId,
  }));
}
