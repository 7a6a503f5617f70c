import type { Image } from '@aws-sdk/client-ec2';
import type { FakeCloud } from './cloud.ts';
import { type Tags, toTags } from './filters.ts';
import { INSTANCE_TYPES, ON_DEMAND_PRICES } from './instance-type-data.ts';
import { ACCOUNT } from './network.ts';

/** A tag that the subnets and security groups of the account carry, with the cluster's name. */
export const DISCOVERY_TAG = 'karpenter.sh/discovery';
/** Amazon's account of EKS images. */
const EKS_OWNER = '602401143452';

/** An account with one cluster in it: a subnet in each zone, two security groups, EKS's images, types and prices. */
export function fillAccount(cloud: FakeCloud): void {
  const tags = { [DISCOVERY_TAG]: cloud.clusterName };
  addNetwork(cloud, tags);
  addTypes(cloud);
  addCluster(cloud);
  addEksImages(cloud, '1.34');
}

function addNetwork(cloud: FakeCloud, tags: Tags): void {
  for (const [index, [zone, zoneId]] of [...cloud.zones].entries()) {
    cloud.subnets.push({
      SubnetId: `subnet-test${index + 1}`,
      VpcId: 'vpc-test1',
      AvailabilityZone: zone,
      AvailabilityZoneId: zoneId,
      AvailableIpAddressCount: 100 * (index + 1),
      Tags: toTags({ Name: `test-subnet-${index + 1}`, ...tags }),
    });
  }
  for (const index of [1, 2]) {
    cloud.securityGroups.push({
      GroupId: `sg-test${index}`,
      GroupName: `securityGroup-test${index}`,
      VpcId: 'vpc-test1',
      Tags: toTags({ Name: `test-security-group-${index}`, ...tags }),
    });
  }
}

/** Spot costs two fifths, and a little more in each further zone. */
function addTypes(cloud: FakeCloud): void {
  cloud.instanceTypes = [...INSTANCE_TYPES];
  for (const [name, price] of Object.entries(ON_DEMAND_PRICES)) {
    cloud.onDemandPrices.set(name, price);
    for (const [index, zone] of [...cloud.zones.keys()].entries()) {
      cloud.spotPrices.set(`${name}/${zone}`, Number((price * (0.4 + index / 50)).toFixed(6)));
    }
  }
}

function addCluster(cloud: FakeCloud): void {
  cloud.cluster = {
    name: cloud.clusterName,
    arn: `arn:aws:eks:${cloud.region}:${ACCOUNT}:cluster/${cloud.clusterName}`,
    endpoint: 'https://test-cluster.eks.example',
    version: '1.34',
    certificateAuthority: { data: Buffer.from('certificate').toString('base64') },
    kubernetesNetworkConfig: { serviceIpv4Cidr: '10.100.0.0/16' },
  };
}

interface EksImage {
  readonly id: string;
  readonly architecture: 'x86_64' | 'arm64';
  readonly parameters: readonly string[];
}

function addEksImages(cloud: FakeCloud, version: string): void {
  const eks = `/aws/service/eks/optimized-ami/${version}`;
  const bottlerocket = `/aws/service/bottlerocket/aws-k8s-${version}`;
  const al2023 = (arch: string, variant: string) => [
    `${eks}/amazon-linux-2023/${arch}/${variant}/recommended/image_id`,
    `${eks}/amazon-linux-2023/${arch}/${variant}/amazon-eks-node-al2023-${arch}-${variant}-${version}-v20260101/image_id`,
  ];
  const windows = (year: number) => [
    `/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-${version}/image_id`,
  ];
  const images: readonly EksImage[] = [
    ...(['x86_64', 'arm64'] as const).flatMap((architecture) =>
      ['standard', 'nvidia', ...(architecture === 'x86_64' ? ['neuron'] : [])].map((variant) => ({
        id: `ami-al2023-${architecture}-${variant}`.replaceAll('_', ''),
        architecture,
        parameters: al2023(architecture, variant),
      })),
    ),
    ...(['x86_64', 'arm64'] as const).flatMap((architecture) =>
      ['', '-nvidia'].map((variant) => ({
        id: `ami-bottlerocket-${architecture}${variant}`.replaceAll('_', ''),
        architecture,
        parameters: ['latest', '1.50.0'].map(
          (release) => `${bottlerocket}${variant}/${architecture}/${release}/image_id`,
        ),
      })),
    ),
    ...[2019, 2022, 2025].map((year) => ({
      id: `ami-windows${year}`,
      architecture: 'x86_64' as const,
      parameters: windows(year),
    })),
  ];
  for (const { id, architecture, parameters } of images) {
    cloud.images.push(image(id, architecture));
    for (const parameter of parameters) cloud.parameters.set(parameter, id);
  }
  cloud.images.push({ ...image('ami-own', 'x86_64'), OwnerId: ACCOUNT, Tags: toTags({ team: 'platform' }) });
}

function image(id: string, Architecture: 'x86_64' | 'arm64'): Image {
  return {
    ImageId: id,
    Name: `image-${id.slice('ami-'.length)}`,
    Architecture,
    State: 'available',
    OwnerId: EKS_OWNER,
    ImageOwnerAlias: 'amazon',
    CreationDate: '2025-12-01T00:00:00.000Z',
  };
}
