import type { SecurityGroup, Subnet } from '@aws-sdk/client-ec2';
import { type Finding, fail, skipped, warn } from '../../doctor/finding.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { amiFamilyOf } from '../apis/ec2-node-class-facts.ts';
import { unsupportedKubelet } from '../kubelet/family-support.ts';
import type { EksAnswer } from './cluster-facts.ts';
import { amisOf, instanceProfileOf, type LookupDeps, securityGroupsOf, subnetsOf } from './node-class-lookups.ts';
import type { Outcome } from './outcome.ts';
import { trialLaunch } from './trial-launch.ts';

export interface NodeClassResult {
  readonly findings: readonly Finding[];
  readonly outcomes: readonly Outcome[];
  /** Of the role that its nodes run under, if it could be found out. */
  readonly roleARN?: string;
}

export interface NodeClassDeps extends LookupDeps {
  /** The feature gate ReservedCapacity. */
  readonly reservedCapacity: boolean;
  readonly eks: Promise<EksAnswer>;
  readonly dryRuns: boolean;
}

/** What a class selects in the account, whether it fits together, and whether EC2 would launch a node of it. */
export async function nodeClassResult(
  nodeClass: EC2NodeClass,
  deps: NodeClassDeps,
  signal: AbortSignal,
): Promise<NodeClassResult> {
  const [subnets, groups, amis, profile, eks] = await Promise.all([
    subnetsOf(nodeClass, deps, signal),
    securityGroupsOf(nodeClass, deps, signal),
    amisOf(nodeClass, deps, signal),
    instanceProfileOf(nodeClass, deps, signal),
    deps.eks,
  ]);
  const trial = deps.dryRuns
    ? await trialLaunch(
        deps,
        {
          nodeClass,
          subnets: subnets.found,
          securityGroupIDs: groups.found.map(({ GroupId = '' }) => GroupId),
          amis: amis.found,
          instanceProfile: profile.name,
        },
        signal,
      )
    : { finding: skipped('trial launch', 'EC2 has no dry runs here'), outcomes: [] };
  const { roleARN } = profile;
  return {
    findings: [
      ...subnets.findings,
      ...groups.findings,
      ...networkFindings(subnets.found, groups.found, eks),
      ...amis.findings,
      ...cidrFindings(nodeClass, eks),
      ...kubeletFindings(nodeClass),
      ...idleFindings(nodeClass, deps.reservedCapacity),
      profile.finding,
      trial.finding,
      ...conditionFindings(nodeClass),
    ],
    outcomes: trial.outcomes,
    ...(roleARN === undefined ? {} : { roleARN }),
  };
}

function networkFindings(
  subnets: readonly Subnet[],
  groups: readonly SecurityGroup[],
  eks: EksAnswer,
): readonly Finding[] {
  const ofSubnets = new Set(subnets.map(({ VpcId = '' }) => VpcId));
  const strange = groups.filter(({ VpcId = '' }) => ofSubnets.size > 0 && !ofSubnets.has(VpcId));
  const fix = ['selector terms that find subnets and security groups of one VPC'];
  if (strange.length > 0) {
    const ids = strange.map(({ GroupId }) => GroupId).join(', ');
    return [
      fail('network', `security groups ${ids} are not in the VPC of the subnets: EC2 launches nothing like that`, {
        fix,
      }),
    ];
  }
  if (ofSubnets.size > 1)
    return [fail('network', `the subnets are of several VPCs: ${[...ofSubnets].join(', ')}`, { fix })];
  const [vpc] = ofSubnets;
  const ofCluster = eks && 'cluster' in eks ? eks.cluster.resourcesVpcConfig?.vpcId : undefined;
  if (!vpc || !ofCluster || vpc === ofCluster) return [];
  return [
    warn('network', `the subnets are in ${vpc}, the EKS cluster in ${ofCluster}: nodes may not reach its API`, { fix }),
  ];
}

/** AL2023 nodes are told the addresses of Services, which only EKS knows. */
function cidrFindings(nodeClass: EC2NodeClass, eks: EksAnswer): readonly Finding[] {
  if (amiFamilyOf(nodeClass) !== 'AL2023') return [];
  const network = eks && 'cluster' in eks ? eks.cluster.kubernetesNetworkConfig : undefined;
  if (network?.serviceIpv4Cidr ?? network?.serviceIpv6Cidr) return [];
  const fix = ['outside EKS: another amiFamily, for example Custom with spec.userData', 'in EKS: eks:DescribeCluster'];
  return [fail('cluster CIDR', 'AL2023 nodes need it, and EKS does not tell it', { fix })];
}

function kubeletFindings(nodeClass: EC2NodeClass): readonly Finding[] {
  const problem = unsupportedKubelet(nodeClass);
  return problem === undefined ? [] : [fail('kubelet', problem)];
}

/** What is set on a class and has no effect. */
function idleFindings(nodeClass: EC2NodeClass, reservedCapacity: boolean): readonly Finding[] {
  const { instanceStorePolicy, capacityReservationSelectorTerms = [] } = nodeClass.spec;
  const family = amiFamilyOf(nodeClass);
  const fields = [
    ...(instanceStorePolicy && /^(Windows|Custom)/.test(family)
      ? [`spec.instanceStorePolicy: nothing sets up the disks of the family ${family}`]
      : []),
    ...(capacityReservationSelectorTerms.length > 0 && !reservedCapacity
      ? ['spec.capacityReservationSelectorTerms: the feature gate ReservedCapacity is off']
      : []),
  ];
  return fields.map((field) => warn('no effect', field));
}

/** What a controller has said of it, some time ago. */
function conditionFindings({ metadata, status }: EC2NodeClass): readonly Finding[] {
  const bad = (status?.conditions ?? []).filter((condition) => condition.status === 'False');
  const causes = bad.filter(({ type }) => type !== 'Ready');
  if (bad.length === 0) return [];
  const details = (causes.length > 0 ? causes : bad).map(
    ({ type, reason, message }) => `${type}: ${[reason, message].filter(Boolean).join(': ')}`,
  );
  const fix = [`kubectl describe ec2nodeclass ${metadata.name}`];
  return [warn('conditions', 'a controller has found it not ready', { details, fix })];
}
