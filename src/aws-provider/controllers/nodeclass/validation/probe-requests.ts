import type {
  CreateFleetRequest,
  InstanceNetworkInterfaceSpecification,
  RunInstancesRequest,
} from '@aws-sdk/client-ec2';
import { CAPACITY_TYPE_ON_DEMAND } from '../../../../apis/labels.ts';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { tagList } from '../../../aws-api/tags.ts';
import type { LaunchTemplate } from '../../../providers/contracts.ts';
import { fleetRequest } from '../../../providers/instance/fleet-request.ts';

type Tags = Readonly<Record<string, string>>;

const TAGGED = ['instance', 'volume', 'network-interface'] as const;

const latest = ({ name }: LaunchTemplate) => ({ LaunchTemplateName: name, Version: '$Latest' });

/** Asks whether the controller may launch a fleet of the class's nodes; launches none. */
export function fleetProbe(nodeClass: EC2NodeClass, template: LaunchTemplate, tags: Tags): CreateFleetRequest {
  const subnets = nodeClass.status?.subnets ?? [];
  const config = {
    LaunchTemplateSpecification: latest(template),
    Overrides: template.instanceTypes.flatMap(({ name }) =>
      subnets.map(({ id }) => ({ InstanceType: name as never, SubnetId: id })),
    ),
  };
  const request = fleetRequest({ capacityType: CAPACITY_TYPE_ON_DEMAND, tags, configs: [config], byPriority: false });
  return { ...request, DryRun: true };
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
    TagSpecifications: TAGGED.map((ResourceType) => ({ ResourceType, Tags: tagList(tags) })),
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
