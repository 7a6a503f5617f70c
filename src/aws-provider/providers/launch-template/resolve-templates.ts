import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { CAPACITY_TYPE_RESERVED, TAINT_UNREGISTERED } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { Taint } from '../../../kube/objects.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { sameTaint } from '../../../scheduling/taints.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { amiFamilyOf } from '../../apis/ec2-node-class-facts.ts';
import { RESOURCE_EFA, RESOURCES_OF_ENCLAVES } from '../../apis/labels.ts';
import { kubeletSettings } from '../../kubelet/kubelet-settings.ts';
import { type ResolveDeps, resolveReserved } from '../../kubelet/resolve-kubelet.ts';
import type { BootstrapInput } from '../ami-family/bootstrap/bootstrap-input.ts';
import { bindsKnownDirectories } from '../ami-family/bottlerocket-version.ts';
import { familyOf } from '../ami-family/families.ts';
import { mapToInstanceTypes } from '../ami-family/map-to-instance-types.ts';
import { kubeletVarsWithPods } from '../instance-type/kubelet-vars.ts';
import { metadataOptionsOf } from './metadata-options.ts';
import { nodeLabels } from './node-labels.ts';
import type { ResolvedTemplate } from './resolved-template.ts';
import { efasOf, groupBy, podsOf, reservationsOf, type TemplateGroup } from './template-groups.ts';

export interface TemplateDeps extends ResolveDeps {
  readonly region: string;
  /** As EC2 describes it. */
  readonly infoOf: (instanceType: string) => InstanceTypeInfo | undefined;
}

/** What is to be launched, and with what it is to be set up. */
export interface TemplateOrder {
  readonly nodeClass: EC2NodeClass;
  readonly nodeClaim: NodeClaim;
  readonly instanceTypes: readonly InstanceType[];
  readonly capacityType: string;
  readonly tenancy: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly placementGroupID?: string;
  readonly placementGroupPartition?: number;
  readonly cluster: ClusterFacts;
}

/** What nodes are told of the cluster. */
export interface ClusterFacts
  extends Pick<BootstrapInput, 'clusterName' | 'clusterEndpoint' | 'clusterCIDR' | 'caBundle'> {
  readonly kubeDNSIP?: string;
  readonly isIPv6: boolean;
}

/**
 * The launch templates that the types need: one for each image, number of pods, number of fabric adapters, reserved
 * resources and reservation (aws-provider.md section 16).
 *
 * @throws when the class's status names no security groups, or no image that one of the types can run.
 */
export function resolveTemplates(deps: TemplateDeps, order: TemplateOrder): readonly ResolvedTemplate[] {
  const { securityGroups = [], amis = [] } = order.nodeClass.status ?? {};
  if (securityGroups.length === 0) throw new Error('no security groups are present in the status');
  if (amis.length === 0) throw new Error('no amis exist given constraints');
  const byImage = mapToInstanceTypes(order.instanceTypes, amis);
  if (byImage.size === 0) {
    const ids = [...new Set(amis.map(({ id }) => id))].join(' ');
    throw new Error(`no instance types satisfy requirements of amis [${ids}]`);
  }
  return [...byImage].flatMap(([imageID, types]) =>
    groupBy(types, (type) => groupOf(deps, order, imageID, type)).flatMap(([group, members]) =>
      templatesOf(deps, order, group, members),
    ),
  );
}

function groupOf(deps: TemplateDeps, order: TemplateOrder, imageID: string, type: InstanceType): TemplateGroup {
  const { kubeReserved, systemReserved } = kubeletSettings(order.nodeClass);
  // As the scheduler's are told.
  const vars = () => kubeletVarsWithPods(deps.infoOf(type.name) ?? {}, type.name, podsOf(type));
  return {
    imageID,
    pods: podsOf(type),
    efaCount: requests(order.nodeClaim, [RESOURCE_EFA]) ? efasOf(type) : 0,
    kubeReserved: resolveReserved(kubeReserved, vars, deps),
    systemReserved: resolveReserved(systemReserved, vars, deps),
    reservations: order.capacityType === CAPACITY_TYPE_RESERVED ? reservationsOf(type) : [],
  };
}

const requests = ({ spec }: NodeClaim, resources: readonly string[]): boolean =>
  resources.some((resource) => resource in (spec.resources?.requests ?? {}));

function templatesOf(
  deps: TemplateDeps,
  order: TemplateOrder,
  group: TemplateGroup,
  instanceTypes: readonly InstanceType[],
): readonly ResolvedTemplate[] {
  const { nodeClass, nodeClaim, cluster } = order;
  const { spec, status, metadata } = nodeClass;
  const family = familyOf(amiFamilyOf(nodeClass));
  const template: ResolvedTemplate = {
    nodeClassName: metadata.name,
    family,
    bootstrap: bootstrapInput(order, group),
    imageID: group.imageID,
    instanceProfile: status?.instanceProfile ?? '',
    securityGroupIDs: (status?.securityGroups ?? []).map(({ id }) => id),
    tags: order.tags,
    capacityType: order.capacityType,
    tenancy: order.tenancy,
    placementGroupID: order.placementGroupID,
    placementGroupPartition: order.placementGroupPartition,
    blockDeviceMappings: spec.blockDeviceMappings?.length
      ? spec.blockDeviceMappings
      : family.defaultBlockDeviceMappings,
    metadataOptions: metadataOptionsOf(nodeClass, deps.region, cluster.isIPv6),
    cpuOptions: spec.cpuOptions,
    detailedMonitoring: spec.detailedMonitoring ?? false,
    isEnclaveEnabled: requests(nodeClaim, RESOURCES_OF_ENCLAVES),
    isIPv6: cluster.isIPv6,
    associatePublicIPAddress: spec.associatePublicIPAddress,
    ipPrefixCount: spec.ipPrefixCount,
    networkInterfaces: spec.networkInterfaces ?? [],
    efaCount: group.efaCount,
    connectionTracking: spec.connectionTracking,
    instanceTypes,
  };
  if (group.reservations.length === 0) return [template];
  return group.reservations.map((reservation) => ({ ...template, reservation }));
}

function bootstrapInput(
  { nodeClass, nodeClaim, capacityType, cluster }: TemplateOrder,
  group: TemplateGroup,
): BootstrapInput {
  const { spec, status } = nodeClass;
  const { clusterName, clusterEndpoint, clusterCIDR, caBundle } = cluster;
  return {
    clusterName,
    clusterEndpoint,
    clusterCIDR,
    caBundle,
    kubelet: kubeletOf(nodeClass, group, cluster.kubeDNSIP),
    taints: taintsOf(nodeClaim),
    labels: nodeLabels(nodeClaim, capacityType, amiFamilyOf(nodeClass)),
    customUserData: spec.userData,
    instanceStorePolicy: spec.instanceStorePolicy,
    bindsKnownDirectories: bindsKnownDirectories(spec.amiSelectorTerms, status?.amis ?? []),
  };
}

/** All that users set; numbers and amounts in place of expressions. */
function kubeletOf(
  nodeClass: EC2NodeClass,
  group: TemplateGroup,
  kubeDNSIP: string | undefined,
): BootstrapInput['kubelet'] {
  const { kubeReserved: _, systemReserved: __, ...settings } = kubeletSettings(nodeClass);
  const clusterDNS = settings.clusterDNS?.length || kubeDNSIP === undefined ? settings.clusterDNS : [kubeDNSIP];
  return {
    ...settings,
    maxPods: typeof settings.maxPods === 'number' ? settings.maxPods : group.pods,
    ...(clusterDNS === undefined ? {} : { clusterDNS }),
    ...filled('kubeReserved', group.kubeReserved),
    ...filled('systemReserved', group.systemReserved),
  };
}

function filled(key: string, amounts: Readonly<Record<string, string>> | undefined): Readonly<Record<string, unknown>> {
  return amounts && Object.keys(amounts).length > 0 ? { [key]: amounts } : {};
}

/** Until it is registered, nothing may run on a node. */
function taintsOf({ spec }: NodeClaim): readonly Taint[] {
  const taints = [...(spec.taints ?? []), ...(spec.startupTaints ?? [])];
  return taints.some((taint) => sameTaint(taint, TAINT_UNREGISTERED)) ? taints : [...taints, TAINT_UNREGISTERED];
}
