import type { CustomResourceDefinition } from './definition.ts';
import type { JsonSchema } from './json-schema.ts';
import { conditions, quantities, resource } from './schema-parts.ts';

const podTemplateRef: JsonSchema = {
  description: 'A PodTemplate in the same namespace that says what one unit of the buffer looks like.',
  type: 'object',
  required: ['name'],
  properties: { name: { description: 'Its name.', type: 'string', minLength: 1 } },
};

const spec: JsonSchema = {
  description: 'How much room is kept free, and for what.',
  type: 'object',
  properties: {
    limits: quantities('The most that the buffer may ask for altogether.'),
    percentage: {
      description: 'The size of the buffer in percent of the workload’s replicas.',
      type: 'integer',
      format: 'int32',
      minimum: 0,
    },
    podTemplateRef,
    provisioningStrategy: {
      description: 'How the room is kept free.',
      type: 'string',
      default: 'buffer.x-k8s.io/active-capacity',
    },
    replicas: {
      description: 'The size of the buffer in units.',
      type: 'integer',
      format: 'int32',
      minimum: 0,
    },
    scalableRef: {
      description: 'A workload in the same namespace whose pods are the units of the buffer.',
      type: 'object',
      required: ['kind', 'name'],
      properties: {
        apiGroup: { description: 'Its API group.', type: 'string' },
        kind: { description: 'Its kind.', type: 'string', minLength: 1 },
        name: { description: 'Its name.', type: 'string', minLength: 1 },
      },
    },
  },
  'x-kubernetes-validations': [
    {
      message: 'If podTemplateRef is set, replicas or limits must also be set',
      rule: '!has(self.podTemplateRef) || has(self.replicas) || has(self.limits)',
    },
    {
      message: 'You must define either PodTemplateRef or ScalableRef, but not both',
      rule: '!(has(self.podTemplateRef) && has(self.scalableRef))',
    },
  ],
};

const status: JsonSchema = {
  description: 'The buffer as it was last worked out.',
  type: 'object',
  properties: {
    conditions,
    podTemplateGeneration: {
      description: 'The generation of the pod template that was read.',
      type: 'integer',
      format: 'int64',
    },
    podTemplateRef,
    provisioningStrategy: { description: 'The strategy in force.', type: 'string' },
    replicas: { description: 'How many units the buffer has.', type: 'integer', format: 'int32' },
  },
};

/** autoscaling.x-k8s.io/v1beta1 CapacityBuffer. Fields, defaults and rules are upstream's. */
export const CAPACITY_BUFFER_DEFINITION: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'capacitybuffers.autoscaling.x-k8s.io' },
  spec: {
    group: 'autoscaling.x-k8s.io',
    names: {
      categories: ['autoscaling'],
      kind: 'CapacityBuffer',
      listKind: 'CapacityBufferList',
      plural: 'capacitybuffers',
      shortNames: ['cb'],
      singular: 'capacitybuffer',
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: 'Strategy', type: 'string', jsonPath: '.spec.provisioningStrategy' },
          { name: 'PodTemplate', type: 'string', jsonPath: '.status.podTemplateRef.name' },
          { name: 'Replicas', type: 'integer', jsonPath: '.status.replicas' },
          { name: 'ConditionsType', type: 'string', jsonPath: '.status.conditions[*].type' },
          { name: 'ConditionsStatus', type: 'string', jsonPath: '.status.conditions[*].status' },
          { name: 'ConditionsReason', type: 'string', jsonPath: '.status.conditions[*].reason' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: { openAPIV3Schema: resource('Keeps room for pods that are yet to come.', { spec, status }) },
        subresources: { status: {} },
      },
    ],
  },
};
