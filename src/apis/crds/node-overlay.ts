import type { CustomResourceDefinition } from './definition.ts';
import type { JsonSchema } from './json-schema.ts';
import { conditions, quantities, requirements, resource } from './schema-parts.ts';

const spec: JsonSchema = {
  description: 'Which instance types the overlay changes, and what about them.',
  type: 'object',
  required: ['requirements'],
  properties: {
    capacity: quantities('Further resources that the instance types have.', [
      {
        message: 'invalid resource restricted',
        rule: "self.all(x, !(x in ['cpu', 'memory', 'ephemeral-storage', 'pods']))",
      },
    ]),
    price: {
      description: 'The price per hour, in place of the provider’s.',
      type: 'string',
      pattern: '^\\d+(\\.\\d+)?$',
    },
    priceAdjustment: {
      description:
        'What to add to the price, or take from it: an amount such as `-0.5`, or a percentage such as `+10%`.',
      type: 'string',
      pattern: '^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|(-100%))$',
    },
    requirements: requirements({
      poolRestricted: false,
      minValues: false,
      description: 'The instance types and offerings that the overlay is for.',
    }),
    weight: {
      description: 'Where two overlays change the same thing, the one of greater weight wins.',
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 10000,
    },
  },
  'x-kubernetes-validations': [
    {
      message: "cannot set both 'price' and 'priceAdjustment'",
      rule: '!has(self.price) || !has(self.priceAdjustment)',
    },
  ],
};

/** karpenter.sh/v1alpha1 NodeOverlay. Fields, defaults and rules are upstream's. */
export const NODE_OVERLAY_DEFINITION: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'nodeoverlays.karpenter.sh' },
  spec: {
    group: 'karpenter.sh',
    names: {
      categories: ['karpenter'],
      kind: 'NodeOverlay',
      listKind: 'NodeOverlayList',
      plural: 'nodeoverlays',
      shortNames: ['overlays'],
      singular: 'nodeoverlay',
    },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          { name: 'Weight', type: 'integer', priority: 1, jsonPath: '.spec.weight' },
        ],
        schema: {
          openAPIV3Schema: resource('Changes what is known of instance types: their price, their resources.', {
            spec,
            status: {
              description: 'Whether the overlay is in force.',
              type: 'object',
              properties: { conditions },
            },
          }),
        },
        subresources: { status: {} },
      },
    ],
  },
};
