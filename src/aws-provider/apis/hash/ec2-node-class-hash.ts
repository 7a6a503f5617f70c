import { hashFlag, hashInteger, hashMap, hashSet, hashStruct, hashText } from '../../../apis/structure-hash.ts';
import { goJson } from '../../../apiserver/validation/go-text.ts';
import { canonicalQuantity } from '../../../kube/quantity.ts';
import type {
  BlockDevice,
  BlockDeviceMapping,
  ConnectionTracking,
  EC2NodeClass,
  KubeletConfiguration,
  MetadataOptions,
  NetworkInterface,
  PlacementGroupSelector,
} from '../ec2-node-class.ts';
import { amiFamilyOf } from '../ec2-node-class-facts.ts';

/** Version of what the hash covers; both are annotations of classes and claims. */
export const HASH_VERSION = 'v6';

type Optional = bigint | undefined;

/** Fields that are pointers in Go count as soon as they are set, be it to nothing. */
const text = (value: string | undefined): Optional => (value === undefined ? undefined : hashText(value));
const flag = (value: boolean | undefined): Optional => (value === undefined ? undefined : hashFlag(value));
const int32 = (value: number | undefined): Optional =>
  value === undefined ? undefined : hashInteger(BigInt(value), 4);
const int64 = (value: number | undefined): Optional =>
  value === undefined ? undefined : hashInteger(BigInt(value), 8);

/** Fields that are no pointers don't count while they are empty. */
const filledText = (value: string | undefined): Optional => (value ? hashText(value) : undefined);

const placementGroup = (selector: PlacementGroupSelector): bigint =>
  hashStruct('PlacementGroupSelector', [
    ['Name', text(selector.name)],
    ['ID', text(selector.id)],
  ]);

const volume = (ebs: BlockDevice): bigint =>
  hashStruct('BlockDevice', [
    ['DeleteOnTermination', flag(ebs.deleteOnTermination)],
    ['Encrypted', flag(ebs.encrypted)],
    ['IOPS', int64(ebs.iops)],
    ['KMSKeyID', text(ebs.kmsKeyID)],
    ['SnapshotID', text(ebs.snapshotID)],
    ['Throughput', int64(ebs.throughput)],
    ['VolumeInitializationRate', int32(ebs.volumeInitializationRate)],
    ['VolumeSize', ebs.volumeSize === undefined ? undefined : hashText(canonicalQuantity(ebs.volumeSize))],
    ['VolumeType', text(ebs.volumeType)],
  ]);

const device = (mapping: BlockDeviceMapping): bigint =>
  hashStruct('BlockDeviceMapping', [
    ['DeviceName', text(mapping.deviceName)],
    ['EBS', mapping.ebs && volume(mapping.ebs)],
    ['RootVolume', flag(mapping.rootVolume || undefined)],
  ]);

const networkInterface = (item: NetworkInterface): bigint =>
  hashStruct('NetworkInterface', [
    ['NetworkCardIndex', int32(item.networkCardIndex || undefined)],
    ['DeviceIndex', int32(item.deviceIndex || undefined)],
    ['InterfaceType', filledText(item.interfaceType)],
  ]);

const metadataOptions = (options: MetadataOptions): bigint =>
  hashStruct('MetadataOptions', [
    ['HTTPEndpoint', text(options.httpEndpoint)],
    ['HTTPProtocolIPv6', text(options.httpProtocolIPv6)],
    ['HTTPPutResponseHopLimit', int64(options.httpPutResponseHopLimit)],
    ['HTTPTokens', text(options.httpTokens)],
  ]);

const connectionTracking = (tracking: ConnectionTracking): bigint =>
  hashStruct('ConnectionTracking', [
    ['TCPEstablishedTimeout', int32(tracking.tcpEstablishedTimeout)],
    ['UDPStreamTimeout', int32(tracking.udpStreamTimeout)],
    ['UDPTimeout', int32(tracking.udpTimeout)],
  ]);

/** The fields in the order of upstream's struct: the hash depends on it. */
const specHash = ({ spec }: EC2NodeClass): bigint =>
  hashStruct('EC2NodeClassSpec', [
    ['PlacementGroupSelector', spec.placementGroupSelector && placementGroup(spec.placementGroupSelector)],
    ['AssociatePublicIPAddress', flag(spec.associatePublicIPAddress)],
    ['UserData', text(spec.userData)],
    ['Role', filledText(spec.role)],
    ['InstanceProfile', text(spec.instanceProfile)],
    ['Tags', spec.tags && hashMap(spec.tags)],
    ['BlockDeviceMappings', spec.blockDeviceMappings && hashSet(spec.blockDeviceMappings.map(device))],
    ['InstanceStorePolicy', text(spec.instanceStorePolicy)],
    ['NetworkInterfaces', spec.networkInterfaces && hashSet(spec.networkInterfaces.map(networkInterface))],
    ['DetailedMonitoring', flag(spec.detailedMonitoring)],
    ['MetadataOptions', spec.metadataOptions && metadataOptions(spec.metadataOptions)],
    ['ConnectionTracking', spec.connectionTracking && connectionTracking(spec.connectionTracking)],
    ['Context', text(spec.context)],
    [
      'CPUOptions',
      spec.cpuOptions &&
        hashStruct('CPUOptions', [['NestedVirtualization', text(spec.cpuOptions.nestedVirtualization)]]),
    ],
  ]);

/** As Go writes it, so that it has the same hash; `null` when nothing is set. */
const kubeletText = (kubelet: KubeletConfiguration | undefined): string =>
  kubelet === undefined || Object.keys(kubelet).length === 0 ? 'null' : goJson(kubelet);

/**
 * The drift hash of a class, in decimal: equal to what upstream stamps for hash version v6 (aws-provider.md sections 8
 * and 31). What nodes find out about by themselves, subnets and images for example, is left out.
 *
 * @param caBundle of the cluster, base64: nodes of another bundle have drifted.
 */
export function ec2NodeClassHash(nodeClass: EC2NodeClass, caBundle: string): string {
  return hashSet([
    specHash(nodeClass),
    hashText(amiFamilyOf(nodeClass)),
    hashText(caBundle),
    hashText(kubeletText(nodeClass.spec.kubelet)),
  ]).toString();
}
