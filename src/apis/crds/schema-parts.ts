import { DEFAULT_EXPIRE_AFTER } from '../expire-after.ts';
import type { JsonSchema, ValidationRule } from './json-schema.ts';

/** The pieces that several definitions share. */

const LABEL_KEY_PATTERN =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$';
export const LABEL_VALUE_PATTERN = '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$';
const CONDITION_TYPE_PATTERN =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';
const QUANTITY_PATTERN =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

export const DURATION_PATTERN = '^([0-9]+(s|m|h))+$';
export const DURATION_OR_NEVER_PATTERN = '^(([0-9]+(s|m|h))+|Never)$';

/** The root of an object with a spec and a status. */
export const resource = (
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = ['spec'],
): JsonSchema => ({
  description,
  type: 'object',
  ...(required.length > 0 ? { required } : {}),
  properties: {
    apiVersion: { description: 'Group and version of this representation.', type: 'string' },
    kind: { description: 'The kind of object this is.', type: 'string' },
    metadata: { type: 'object' },
    ...properties,
  },
});

/** Amounts by resource name. */
export const quantities = (description: string, rules: readonly ValidationRule[] = []): JsonSchema => ({
  description,
  type: 'object',
  additionalProperties: {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: QUANTITY_PATTERN,
    'x-kubernetes-int-or-string': true,
  },
  ...(rules.length > 0 ? { 'x-kubernetes-validations': rules } : {}),
});

const conditionList = (reason: JsonSchema, required: readonly string[]): JsonSchema => ({
  description: 'What is known about the state of the object, one entry per type.',
  type: 'array',
  items: {
    type: 'object',
    required,
    properties: {
      lastTransitionTime: {
        description: 'When the status last changed.',
        type: 'string',
        format: 'date-time',
      },
      message: { description: 'The reason in a sentence.', type: 'string', maxLength: 32768 },
      observedGeneration: {
        description: 'The generation of the object that this was found out for.',
        type: 'integer',
        format: 'int64',
        minimum: 0,
      },
      reason,
      status: { description: 'Whether the condition holds.', type: 'string', enum: ['True', 'False', 'Unknown'] },
      type: {
        description: 'What the condition is about.',
        type: 'string',
        maxLength: 316,
        pattern: CONDITION_TYPE_PATTERN,
      },
    },
  },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
});

/** Conditions that must give a reason. */
export const conditions: JsonSchema = conditionList(
  {
    description: 'Why the status is what it is, as one word for programs.',
    type: 'string',
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  },
  ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
);

const { 'x-kubernetes-list-type': _type, 'x-kubernetes-list-map-keys': _keys, ...unkeyed } = conditions;

/** The same as a plain list, which node classes have. */
export const plainConditions: JsonSchema = unkeyed;

/** Conditions that may leave reason and message out. */
export const lenientConditions: JsonSchema = conditionList(
  {
    description: 'Why the status is what it is, as one word for programs.',
    type: 'string',
    maxLength: 1024,
    pattern: '^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$',
  },
  ['lastTransitionTime', 'status', 'type'],
);

export const taints = (description: string): JsonSchema => ({
  description,
  type: 'array',
  items: {
    type: 'object',
    required: ['effect', 'key'],
    properties: {
      effect: {
        description: 'What happens to pods that do not tolerate the taint.',
        type: 'string',
        enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
      },
      key: { description: 'The key of the taint.', type: 'string', minLength: 1, pattern: LABEL_KEY_PATTERN },
      timeAdded: { description: 'When the taint was added.', type: 'string', format: 'date-time' },
      value: { description: 'The value that belongs to the key.', type: 'string', pattern: LABEL_KEY_PATTERN },
    },
  },
  'x-kubernetes-list-type': 'atomic',
});

const RESTRICTED_DOMAIN: ValidationRule = {
  message: 'label domain "karpenter.sh" is restricted',
  rule: 'self in ["karpenter.sh/capacity-type", "karpenter.sh/nodepool"] || !self.find("^([^/]+)").endsWith("karpenter.sh")',
};

const RESTRICTED_POOL: ValidationRule = {
  message: 'label "karpenter.sh/nodepool" is restricted',
  rule: 'self != "karpenter.sh/nodepool"',
};

const RESTRICTED_HOSTNAME: ValidationRule = {
  message: 'label "kubernetes.io/hostname" is restricted',
  rule: 'self != "kubernetes.io/hostname"',
};

const OPERATORS = ['Gte', 'Lte', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];

const NUMERIC_RULE =
  "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt' || x.operator == 'Gte' || x.operator == 'Lte') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)";

const valuesRule = (operator: string): ValidationRule => ({
  message: `requirements with operator '${operator}' must have a value defined`,
  rule: `self.all(x, x.operator == '${operator}' ? x.values.size() != 0 : true)`,
});

export interface RequirementOptions {
  /** Whether the pool's own label may not be asked for: it is set by the pool. */
  readonly poolRestricted: boolean;
  readonly minValues: boolean;
  readonly description: string;
}

const requirementKey = ({ poolRestricted }: RequirementOptions): JsonSchema => ({
  description: 'The label that is asked about.',
  type: 'string',
  maxLength: 316,
  pattern: LABEL_KEY_PATTERN,
  'x-kubernetes-validations': poolRestricted
    ? [RESTRICTED_DOMAIN, RESTRICTED_POOL, RESTRICTED_HOSTNAME]
    : [RESTRICTED_DOMAIN, RESTRICTED_HOSTNAME],
});

const requirementRules = ({ minValues }: RequirementOptions): readonly ValidationRule[] => {
  const numeric = (last: string): ValidationRule => ({
    message: `requirements operator 'Gt', 'Lt', 'Gte'${last} 'Lte' must have a single positive integer value`,
    rule: NUMERIC_RULE,
  });
  if (!minValues) return [valuesRule('NotIn'), valuesRule('In'), numeric(' or')];
  const enough: ValidationRule = {
    message: "requirements with 'minValues' must have at least that many values specified in the 'values' field",
    rule: "self.all(x, (x.operator == 'In' && has(x.minValues)) ? x.values.size() >= x.minValues : true)",
  };
  return [valuesRule('In'), numeric(', or'), enough];
};

/** Requirements on node labels. */
export const requirements = (options: RequirementOptions): JsonSchema => ({
  description: options.description,
  type: 'array',
  maxItems: 100,
  items: {
    type: 'object',
    required: ['key', 'operator'],
    properties: {
      key: requirementKey(options),
      ...(options.minValues
        ? {
            minValues: {
              description: 'How many different values of the label must stay possible among the instance types.',
              type: 'integer',
              minimum: 1,
              maximum: 50,
            },
          }
        : {}),
      operator: { description: 'How the label relates to the values.', type: 'string', enum: OPERATORS },
      values: {
        description:
          'The values that the operator compares with: none for Exists and DoesNotExist, one number for Gt, Gte, Lt and Lte.',
        type: 'array',
        maxLength: 63,
        pattern: LABEL_VALUE_PATTERN,
        items: { type: 'string' },
        'x-kubernetes-list-type': 'atomic',
      },
    },
  },
  'x-kubernetes-list-type': 'atomic',
  'x-kubernetes-validations': requirementRules(options),
});

const filled = (name: string): readonly ValidationRule[] => [
  { message: `${name} may not be empty`, rule: "self != ''" },
];

export const nodeClassRef = (rules: readonly ValidationRule[]): JsonSchema => ({
  description: 'The object with the settings of the cloud provider.',
  type: 'object',
  required: ['group', 'kind', 'name'],
  properties: {
    group: {
      description: 'API group of the node class.',
      type: 'string',
      pattern: '^[^/]*$',
      'x-kubernetes-validations': filled('group'),
    },
    kind: { description: 'Kind of the node class.', type: 'string', 'x-kubernetes-validations': filled('kind') },
    name: { description: 'Name of the node class.', type: 'string', 'x-kubernetes-validations': filled('name') },
  },
  ...(rules.length > 0 ? { 'x-kubernetes-validations': rules } : {}),
});

export const expireAfter: JsonSchema = {
  description: 'The age at which a node is replaced, such as `720h`, or `Never`.',
  type: 'string',
  default: DEFAULT_EXPIRE_AFTER,
  pattern: DURATION_OR_NEVER_PATTERN,
};

export const terminationGracePeriod: JsonSchema = {
  description:
    'How long draining a node may take before its pods are deleted without regard to budgets and annotations.',
  type: 'string',
  pattern: DURATION_PATTERN,
};

export const startupTaints: JsonSchema = taints(
  'Taints that something in the cluster takes away once the node is ready for pods. Pods need not tolerate them to make a node start.',
);
