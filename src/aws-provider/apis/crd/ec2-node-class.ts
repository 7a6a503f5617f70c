import type { CustomResourceDefinition } from '../../../apis/crds/definition.ts';
import type { JsonSchema } from '../../../apis/crds/json-schema.ts';
import { resource } from '../../../apis/crds/schema-parts.ts';
import { AWS_GROUP } from '../ec2-node-class.ts';
import { status } from './ec2-node-class-status.ts';
import {
  blockDeviceMappings,
  connectionTracking,
  cpuOptions,
  metadataOptions,
  networkInterfaces,
} from './machine-settings.ts';
import { flag, integer, rule, text } from './schema-words.ts';
import {
  amiSelectorTerms,
  capacityReservationSelectorTerms,
  placementGroupSelector,
  securityGroupSelectorTerms,
  subnetSelectorTerms,
} from './selector-terms.ts';

const RESTRICTED_TAGS = [
  rule("empty tag keys aren't supported", "self.all(k, k != '')"),
  rule('tag contains a restricted tag matching eks:eks-cluster-name', "self.all(k, k !='eks:eks-cluster-name')"),
  rule(
    'tag contains a restricted tag matching kubernetes.io/cluster/',
    "self.all(k, !k.startsWith('kubernetes.io/cluster') )",
  ),
  rule('tag contains a restricted tag matching karpenter.sh/nodepool', "self.all(k, k != 'karpenter.sh/nodepool')"),
  rule('tag contains a restricted tag matching karpenter.sh/nodeclaim', "self.all(k, k !='karpenter.sh/nodeclaim')"),
  rule(
    'tag contains a restricted tag matching karpenter.k8s.aws/ec2nodeclass',
    "self.all(k, k !='karpenter.k8s.aws/ec2nodeclass')",
  ),
];

/** With an alias, the family is its own or Custom. */
const familyOfAlias = (family: string) =>
  rule(
    `if set, amiFamily must be '${family}' or 'Custom' when using ${family.startsWith('A') ? 'an' : 'a'} ${family} alias`,
    `!has(self.amiFamily) || (self.amiSelectorTerms.exists(x, has(x.alias) && x.alias.find('^[^@]+') == '${family.toLowerCase()}') ? (self.amiFamily == 'Custom' || self.amiFamily == '${family}') : true)`,
  );

const spec: JsonSchema = {
  description: 'What instances are made of, where they run, and what they may do.',
  type: 'object',
  required: ['amiSelectorTerms', 'securityGroupSelectorTerms', 'subnetSelectorTerms'],
  properties: {
    amiFamily: text(
      'How user data is written and which disks are usual. Follows from an alias; without one it must be given.',
      { enum: ['AL2', 'AL2023', 'Bottlerocket', 'Custom', 'Windows2019', 'Windows2022', 'Windows2025'] },
    ),
    amiSelectorTerms,
    associatePublicIPAddress: flag('Whether nodes get a public address; as the subnet says, if not set.'),
    blockDeviceMappings,
    capacityReservationSelectorTerms,
    connectionTracking,
    context: text('Handed to EC2 with every launch; what it means is between you and AWS.'),
    cpuOptions,
    detailedMonitoring: flag('Whether CloudWatch gets metrics of nodes every minute.'),
    instanceProfile: text('The instance profile of nodes, made by you. Or give a role.', {
      'x-kubernetes-validations': [rule('instanceProfile cannot be empty', "self != ''")],
    }),
    instanceStorePolicy: text('What is done with disks of the instance itself: with RAID0, nodes keep pods on them.', {
      enum: ['RAID0'],
    }),
    ipPrefixCount: integer('How many address prefixes the network interface of a node gets.', 'int32', { minimum: 0 }),
    kubelet: {
      description:
        'The configuration of the kubelet: any field of KubeletConfiguration. What is wrong with it is told by the condition ValidationSucceeded.',
      type: 'object',
      additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true },
      'x-kubernetes-preserve-unknown-fields': true,
    },
    metadataOptions,
    networkInterfaces,
    placementGroupSelector,
    role: text('The IAM role of nodes; an instance profile is made for it. Or give an instance profile.', {
      'x-kubernetes-validations': [rule('role cannot be empty', "self != ''")],
    }),
    securityGroupSelectorTerms,
    subnetSelectorTerms,
    tags: {
      description: 'Tags of what is made for nodes: instances, volumes, network interfaces, launch templates.',
      type: 'object',
      additionalProperties: { type: 'string' },
      'x-kubernetes-validations': RESTRICTED_TAGS,
    },
    userData: text('User data in the way of the AMI family; what nodes need to join the cluster is merged into it.'),
  },
  'x-kubernetes-validations': [
    rule(
      "must specify exactly one of ['role', 'instanceProfile']",
      '(has(self.role) && !has(self.instanceProfile)) || (!has(self.role) && has(self.instanceProfile))',
    ),
    ...['AL2', 'AL2023', 'Bottlerocket', 'Windows2019', 'Windows2022', 'Windows2025'].map(familyOfAlias),
    rule(
      'must specify amiFamily if amiSelectorTerms does not contain an alias',
      'self.amiSelectorTerms.exists(x, has(x.alias)) ? true : has(self.amiFamily)',
    ),
  ],
};

/** karpenter.k8s.aws/v1 EC2NodeClass. Fields, defaults and rules are upstream's (aws-provider.md section 4). */
export const EC2_NODE_CLASS_DEFINITION: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `ec2nodeclasses.${AWS_GROUP}` },
  spec: {
    group: AWS_GROUP,
    names: {
      categories: ['karpenter'],
      kind: 'EC2NodeClass',
      listKind: 'EC2NodeClassList',
      plural: 'ec2nodeclasses',
      shortNames: ['ec2nc', 'ec2ncs'],
      singular: 'ec2nodeclass',
    },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          { name: 'Role', type: 'string', priority: 1, jsonPath: '.spec.role' },
        ],
        schema: { openAPIV3Schema: resource('What EC2 instances are launched as nodes.', { spec, status }, []) },
        subresources: { status: {} },
      },
    ],
  },
};
