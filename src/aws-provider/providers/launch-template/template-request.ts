import type {
  CapacityReservationPreference,
  CreateLaunchTemplateRequest,
  HttpTokensState,
  InstanceMetadataEndpointState,
  LaunchTemplateInstanceMarketOptionsRequest,
  LaunchTemplateInstanceMetadataOptionsRequest,
  LaunchTemplateInstanceMetadataProtocolIpv6,
  LaunchTemplatePlacementRequest,
  NestedVirtualizationSpecification,
  RequestLaunchTemplateData,
  Tenancy,
} from '@aws-sdk/client-ec2';
import { CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_SPOT } from '../../../apis/labels.ts';
import type { MetadataOptions } from '../../apis/ec2-node-class.ts';
import { tagList } from '../../aws-api/tags.ts';
import { blockDevices } from './block-devices.ts';
import { networkInterfaces } from './network-interfaces.ts';
import type { ResolvedTemplate } from './resolved-template.ts';
import { templateName } from './template-name.ts';

/**
 * A launch template in EC2's words, under a name that says all of its content (aws-provider.md section 16).
 *
 * @param userData text, not yet in base64
 * @param targetsReservations nodes go into reservations only when they are launched for one
 */
export function templateRequest(
  template: ResolvedTemplate,
  userData: string,
  targetsReservations: boolean,
): CreateLaunchTemplateRequest {
  const data: RequestLaunchTemplateData = {
    BlockDeviceMappings: blockDevices(template.blockDeviceMappings),
    CpuOptions: cpuOptions(template),
    IamInstanceProfile: { Name: template.instanceProfile },
    Monitoring: { Enabled: template.detailedMonitoring },
    UserData: Buffer.from(userData).toString('base64'),
    ImageId: template.imageID,
    MetadataOptions: metadataOptions(template.metadataOptions),
    NetworkInterfaces: networkInterfaces(template),
    TagSpecifications: [
      { ResourceType: 'network-interface', Tags: tagList(template.tags) },
      ...(template.capacityType === CAPACITY_TYPE_SPOT
        ? [{ ResourceType: 'spot-instances-request' as const, Tags: tagList(template.tags) }]
        : []),
    ],
    Placement: placement(template),
    EnclaveOptions: { Enabled: template.isEnclaveEnabled },
    ...(targetsReservations ? reservationOptions(template) : {}),
  };
  const request = {
    LaunchTemplateData: data,
    TagSpecifications: [{ ResourceType: 'launch-template' as const, Tags: tagList(template.tags) }],
  };
  return { LaunchTemplateName: templateName(request), ...request };
}

function cpuOptions({ cpuOptions }: ResolvedTemplate): RequestLaunchTemplateData['CpuOptions'] {
  const nested = cpuOptions?.nestedVirtualization;
  return nested === undefined ? undefined : { NestedVirtualization: nested as NestedVirtualizationSpecification };
}

function metadataOptions(options: MetadataOptions): LaunchTemplateInstanceMetadataOptionsRequest {
  return {
    HttpEndpoint: options.httpEndpoint as InstanceMetadataEndpointState | undefined,
    HttpProtocolIpv6: options.httpProtocolIPv6 as LaunchTemplateInstanceMetadataProtocolIpv6 | undefined,
    HttpPutResponseHopLimit: options.httpPutResponseHopLimit,
    HttpTokens: options.httpTokens as HttpTokensState | undefined,
    // Whatever the account's default is: EC2 refuses instances with Karpenter's tags when they are to be in the metadata.
    InstanceMetadataTags: 'disabled',
  };
}

function placement(template: ResolvedTemplate): LaunchTemplatePlacementRequest {
  return {
    Tenancy: template.tenancy as Tenancy,
    GroupId: template.placementGroupID,
    PartitionNumber: template.placementGroupPartition,
  };
}

function reservationOptions({ capacityType, reservation }: ResolvedTemplate): RequestLaunchTemplateData {
  const isReserved = capacityType === CAPACITY_TYPE_RESERVED;
  const preference: CapacityReservationPreference = isReserved ? 'capacity-reservations-only' : 'none';
  return {
    CapacityReservationSpecification: {
      CapacityReservationPreference: preference,
      CapacityReservationTarget: isReserved ? { CapacityReservationId: reservation?.id } : undefined,
    },
    InstanceMarketOptions: marketOptions(reservation),
  };
}

function marketOptions(
  reservation: ResolvedTemplate['reservation'],
): LaunchTemplateInstanceMarketOptionsRequest | undefined {
  if (reservation?.type === 'capacity-block') return { MarketType: 'capacity-block' };
  return reservation?.interruptible ? { MarketType: 'interruptible-capacity-reservation' } : undefined;
}
