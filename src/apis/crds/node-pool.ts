import type { CustomResourceDefinition } from './definition.ts';
import type { JsonSchema } from './json-schema.ts';
import {
  conditions,
  DURATION_OR_NEVER_PATTERN,
  expireAfter,
  LABEL_VALUE_PATTERN,
  nodeClassRef,
  quantities,
  requirements,
  resource,
  startupTaints,
  taints,
  terminationGracePeriod,
} from './schema-parts.ts';

const budgets: JsonSchema = {
  description: 'How many nodes may be disrupted at once; the strictest of the budgets in force counts.',
  type: 'array',
  default: [{ nodes: '10%' }],
  maxItems: 50,
  items: {
    type: 'object',
    required: ['nodes'],
    properties: {
      duration: {
        description: 'How long the budget is in force after each hit of the schedule.',
        type: 'string',
        pattern: '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$',
      },
      nodes: {
        description: 'A number of nodes, or a percentage of those of the pool.',
        type: 'string',
        default: '10%',
        pattern: '^((100|[0-9]{1,2})%|[0-9]+)$',
      },
      reasons: {
        description: 'The reasons for disruption that the budget limits; all of them if empty.',
        type: 'array',
        maxItems: 50,
        items: { type: 'string', enum: ['Underutilized', 'Empty', 'Drifted'] },
        'x-kubernetes-list-type': 'set',
      },
      schedule: {
        description: 'When the budget comes into force, as a cron expression in UTC; always, if empty.',
        type: 'string',
        pattern: '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$',
      },
    },
  },
  'x-kubernetes-list-type': 'atomic',
  'x-kubernetes-validations': [
    { message: "'schedule' must be set with 'duration'", rule: 'self.all(x, has(x.schedule) == has(x.duration))' },
  ],
};

const disruption: JsonSchema = {
  description: 'When and how fast nodes of the pool may be removed or replaced.',
  type: 'object',
  default: { consolidateAfter: '0s' },
  required: ['consolidateAfter'],
  properties: {
    budgets,
    consolidateAfter: {
      description: 'How long a node must go without a pod coming or going before it is considered, or `Never`.',
      type: 'string',
      pattern: DURATION_OR_NEVER_PATTERN,
    },
    consolidationPolicy: {
      description: 'Which nodes are considered for consolidation.',
      type: 'string',
      default: 'WhenEmptyOrUnderutilized',
      enum: ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'],
    },
  },
};

const templateMetadata: JsonSchema = {
  description: 'Labels and annotations that every node of the pool gets.',
  type: 'object',
  properties: {
    annotations: {
      description: 'Annotations of the nodes.',
      type: 'object',
      additionalProperties: { type: 'string' },
      'x-kubernetes-map-type': 'granular',
    },
    labels: {
      description: 'Labels of the nodes. Pods can select nodes by them before there is one.',
      type: 'object',
      maxProperties: 100,
      additionalProperties: { type: 'string', maxLength: 63, pattern: LABEL_VALUE_PATTERN },
      'x-kubernetes-map-type': 'atomic',
      'x-kubernetes-validations': [
        {
          message: 'label domain "karpenter.sh" is restricted',
          rule: 'self.all(x, x in ["karpenter.sh/capacity-type", "karpenter.sh/nodepool"] || !x.find("^([^/]+)").endsWith("karpenter.sh"))',
        },
        {
          message: 'label "karpenter.sh/nodepool" is restricted',
          rule: 'self.all(x, x != "karpenter.sh/nodepool")',
        },
        {
          message: 'label "kubernetes.io/hostname" is restricted',
          rule: 'self.all(x, x != "kubernetes.io/hostname")',
        },
      ],
    },
  },
};

const templateSpec: JsonSchema = {
  description: 'What every node of the pool is asked to be.',
  type: 'object',
  required: ['nodeClassRef', 'requirements'],
  properties: {
    expireAfter,
    nodeClassRef: nodeClassRef([
      { message: 'nodeClassRef.group is immutable', rule: 'self.group == oldSelf.group' },
      { message: 'nodeClassRef.kind is immutable', rule: 'self.kind == oldSelf.kind' },
    ]),
    requirements: requirements({
      poolRestricted: true,
      minValues: true,
      description: 'What the labels of the nodes may be: instance types, zones, capacity types and more.',
    }),
    startupTaints,
    taints: taints('Taints of the nodes. Only pods that tolerate them make nodes of this pool start.'),
    terminationGracePeriod,
  },
};

const spec: JsonSchema = {
  description: 'What nodes the pool makes, how many at most, and when they go.',
  type: 'object',
  required: ['template'],
  properties: {
    disruption,
    limits: quantities('What all nodes of the pool may have together.'),
    replicas: {
      description: 'Keeps this many nodes regardless of pods. A pool can not turn from one way to the other.',
      type: 'integer',
      format: 'int64',
      minimum: 0,
    },
    template: {
      description: 'The node claims that the pool makes.',
      type: 'object',
      required: ['spec'],
      properties: { metadata: templateMetadata, spec: templateSpec },
    },
    weight: {
      description: 'Pools of greater weight are tried first.',
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 100,
    },
  },
  'x-kubernetes-validations': [
    {
      message:
        'Cannot transition NodePool between static (replicas set) and dynamic (replicas unset) provisioning modes',
      rule: 'has(self.replicas) == has(oldSelf.replicas)',
    },
    {
      message: "only 'limits.nodes' is supported on static NodePools",
      rule: "!has(self.replicas) || (!has(self.limits) || size(self.limits) == 0 || (size(self.limits) == 1 && 'nodes' in self.limits))",
    },
    {
      message: "'weight' is not supported on static NodePools",
      rule: '!has(self.replicas) || !has(self.weight)',
    },
  ],
};

const status: JsonSchema = {
  description: 'What the pool has made so far.',
  type: 'object',
  properties: {
    conditions,
    nodeClassObservedGeneration: {
      description: 'The generation of the node class that the conditions were found out for.',
      type: 'integer',
      format: 'int64',
    },
    nodes: { description: 'How many nodes the pool has.', type: 'integer', format: 'int64', default: 0 },
    resources: quantities('What the nodes of the pool have together.'),
  },
};

/** karpenter.sh/v1 NodePool. Fields, defaults and rules are upstream's. */
export const NODE_POOL_DEFINITION: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'nodepools.karpenter.sh' },
  spec: {
    group: 'karpenter.sh',
    names: {
      categories: ['karpenter'],
      kind: 'NodePool',
      listKind: 'NodePoolList',
      plural: 'nodepools',
      singular: 'nodepool',
    },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: 'NodeClass', type: 'string', jsonPath: '.spec.template.spec.nodeClassRef.name' },
          { name: 'Nodes', type: 'string', jsonPath: '.status.nodes' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          { name: 'Weight', type: 'integer', priority: 1, jsonPath: '.spec.weight' },
          { name: 'CPU', type: 'string', priority: 1, jsonPath: '.status.resources.cpu' },
          { name: 'Memory', type: 'string', priority: 1, jsonPath: '.status.resources.memory' },
        ],
        schema: { openAPIV3Schema: resource('Makes nodes for pods that fit on none.', { spec, status }) },
        subresources: {
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.nodes' },
          status: {},
        },
      },
    ],
  },
};
