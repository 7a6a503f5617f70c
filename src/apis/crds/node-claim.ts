import type { CustomResourceDefinition } from './definition.ts';
import type { JsonSchema } from './json-schema.ts';
import {
  expireAfter,
  lenientConditions,
  nodeClassRef,
  quantities,
  requirements,
  resource,
  startupTaints,
  taints,
  terminationGracePeriod,
} from './schema-parts.ts';

const spec: JsonSchema = {
  description: 'The node that is asked for.',
  type: 'object',
  required: ['nodeClassRef', 'requirements'],
  properties: {
    expireAfter,
    nodeClassRef: nodeClassRef([]),
    requirements: requirements({
      poolRestricted: false,
      minValues: true,
      description: 'What the labels of the node may be.',
    }),
    resources: {
      description: 'What the pods that the node is for need.',
      type: 'object',
      properties: { requests: quantities('The least that the node must have to give.') },
    },
    startupTaints,
    taints: taints('Taints of the node.'),
    terminationGracePeriod,
  },
  'x-kubernetes-validations': [{ message: 'spec is immutable', rule: 'self == oldSelf' }],
};

const status: JsonSchema = {
  description: 'The machine that answers the claim.',
  type: 'object',
  properties: {
    allocatable: quantities('What the node has to give to pods.'),
    capacity: quantities('What the machine has.'),
    conditions: lenientConditions,
    imageID: { description: 'The image that the machine runs.', type: 'string' },
    lastPodEventTime: {
      description: 'When a pod last came to the node or went from it.',
      type: 'string',
      format: 'date-time',
    },
    nodeName: { description: 'The node that the machine has become.', type: 'string' },
    providerID: { description: 'The name of the machine at the cloud provider.', type: 'string' },
  },
};

const label = (key: string): string => `.metadata.labels.${key.replaceAll('.', '\\.')}`;

/** karpenter.sh/v1 NodeClaim. Fields, defaults and rules are upstream's. */
export const NODE_CLAIM_DEFINITION: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'nodeclaims.karpenter.sh' },
  spec: {
    group: 'karpenter.sh',
    names: {
      categories: ['karpenter'],
      kind: 'NodeClaim',
      listKind: 'NodeClaimList',
      plural: 'nodeclaims',
      singular: 'nodeclaim',
    },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: 'Type', type: 'string', jsonPath: label('node.kubernetes.io/instance-type') },
          { name: 'Capacity', type: 'string', jsonPath: label('karpenter.sh/capacity-type') },
          { name: 'Zone', type: 'string', jsonPath: label('topology.kubernetes.io/zone') },
          { name: 'Node', type: 'string', jsonPath: '.status.nodeName' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          { name: 'ImageID', type: 'string', priority: 1, jsonPath: '.status.imageID' },
          { name: 'ID', type: 'string', priority: 1, jsonPath: '.status.providerID' },
          { name: 'NodePool', type: 'string', priority: 1, jsonPath: label('karpenter.sh/nodepool') },
          { name: 'NodeClass', type: 'string', priority: 1, jsonPath: '.spec.nodeClassRef.name' },
          {
            name: 'Drifted',
            type: 'string',
            priority: 1,
            jsonPath: '.status.conditions[?(@.type=="Drifted")].status',
          },
        ],
        schema: { openAPIV3Schema: resource('Asks for one node.', { spec, status }) },
        subresources: { status: {} },
      },
    ],
  },
};
