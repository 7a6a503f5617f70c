import type { CustomResourceDefinition } from '../../src/apis/crds/definition.ts';
import type { JsonSchema } from '../../src/apis/crds/json-schema.ts';
import { DURATION_PATTERN, plainConditions, resource } from '../../src/apis/crds/schema-parts.ts';

const spec: JsonSchema = {
  description: 'How fake nodes behave.',
  type: 'object',
  properties: {
    nodeRegistrationDelay: {
      description: 'How long a fake machine takes to become a node.',
      type: 'string',
      pattern: DURATION_PATTERN,
    },
  },
};

/** Fake nodes need no preparation, so that the class is ready as soon as it stands. */
const status: JsonSchema = {
  description: 'Whether nodes can be made with the class.',
  type: 'object',
  default: {
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2024-01-01T01:01:01Z' },
    ],
  },
  properties: { conditions: plainConditions },
};

/** karpenter.kwok.sh/v1alpha1 KWOKNodeClass. Fields, defaults and rules are upstream's. */
export const KWOK_NODE_CLASS_DEFINITION: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'kwoknodeclasses.karpenter.kwok.sh' },
  spec: {
    group: 'karpenter.kwok.sh',
    names: {
      categories: ['karpenter'],
      kind: 'KWOKNodeClass',
      listKind: 'KWOKNodeClassList',
      plural: 'kwoknodeclasses',
      shortNames: ['kwoknc', 'kwokncs'],
      singular: 'kwoknodeclass',
    },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: resource('Settings of the fake cloud.', { spec, status }, []) },
        subresources: { status: {} },
      },
    ],
  },
};
