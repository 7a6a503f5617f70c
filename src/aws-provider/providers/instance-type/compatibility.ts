import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { EC2NodeClass, NetworkInterface } from '../../apis/ec2-node-class.ts';
import { amiFamilyOf } from '../../apis/ec2-node-class-facts.ts';
import type { PlacementGroup } from '../contracts.ts';

/** Whether nodes of the type can be as the class wants them (aws-provider.md section 21). */
export function isCompatible(
  info: InstanceTypeInfo,
  nodeClass: EC2NodeClass,
  placementGroup: PlacementGroup | undefined,
): boolean {
  const { networkInterfaces, cpuOptions, connectionTracking } = nodeClass.spec;
  return (
    (!networkInterfaces || canHaveInterfaces(info, networkInterfaces)) &&
    !(amiFamilyOf(nodeClass) === 'AL2023' && info.InstanceType?.startsWith('a1.')) &&
    (cpuOptions?.nestedVirtualization !== 'enabled' || canVirtualize(info)) &&
    (!placementGroup || canBePlaced(info, placementGroup)) &&
    (!connectionTracking || info.Hypervisor === 'nitro')
  );
}

/** The cards that the class names are there, and take as many interfaces as it wants. */
function canHaveInterfaces({ NetworkInfo }: InstanceTypeInfo, wanted: readonly NetworkInterface[]): boolean {
  const cards = NetworkInfo?.NetworkCards ?? [];
  if (cards.length === 0 || NetworkInfo?.EnaSupport === 'unsupported') return false;
  const fitting = wanted.every(({ networkCardIndex, deviceIndex }) => {
    const card = cards.find(({ NetworkCardIndex = 0 }) => NetworkCardIndex === networkCardIndex);
    return networkCardIndex < cards.length && card && (card.MaximumNetworkInterfaces ?? 0) > deviceIndex;
  });
  const efas = wanted.filter(({ interfaceType }) => interfaceType === 'efa-only').length;
  return fitting && efas <= (NetworkInfo?.EfaInfo?.MaximumEfaInterfaces ?? 0);
}

function canVirtualize({ ProcessorInfo }: InstanceTypeInfo): boolean {
  return ProcessorInfo?.SupportedFeatures?.includes('nested-virtualization') ?? false;
}

function canBePlaced({ PlacementGroupInfo }: InstanceTypeInfo, { strategy }: PlacementGroup): boolean {
  return PlacementGroupInfo?.SupportedStrategies?.includes(strategy) ?? false;
}
