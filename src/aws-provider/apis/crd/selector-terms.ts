import type { JsonSchema, ValidationRule } from '../../../apis/crds/json-schema.ts';
import { rule, text } from './schema-words.ts';

const tags = (description: string): JsonSchema => ({
  description,
  type: 'object',
  maxProperties: 20,
  additionalProperties: { type: 'string' },
  'x-kubernetes-validations': [
    rule("empty tag keys or values aren't supported", "self.all(k, k != '' && self[k] != '')"),
  ],
});

const someTags = tags('Tags that it must have; the value `*` takes any.');

const terms = (
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  rules: readonly ValidationRule[],
  bounds: Pick<JsonSchema, 'minItems'> = {},
): JsonSchema => ({
  description,
  type: 'array',
  ...bounds,
  maxItems: 30,
  items: { description: 'All fields that are set must hold.', type: 'object', properties },
  'x-kubernetes-validations': rules,
});

export const subnetSelectorTerms: JsonSchema = terms(
  'Which subnets nodes are launched in: those that any of the terms selects.',
  { id: text('The id of the subnet.', { pattern: 'subnet-[0-9a-z]+' }), tags: someTags },
  [
    rule('subnetSelectorTerms cannot be empty', 'self.size() != 0'),
    rule("expected at least one, got none, ['tags', 'id']", 'self.all(x, has(x.tags) || has(x.id))'),
    rule(
      "'id' is mutually exclusive, cannot be set with a combination of other fields in a subnet selector term",
      '!self.all(x, has(x.id) && has(x.tags))',
    ),
  ],
);

export const securityGroupSelectorTerms: JsonSchema = terms(
  'Which security groups the network interfaces of nodes are in: those that any of the terms selects.',
  {
    id: text('The id of the security group.', { pattern: 'sg-[0-9a-z]+' }),
    name: text('The name of the security group, which is not its tag `Name`.'),
    tags: someTags,
  },
  [
    rule('securityGroupSelectorTerms cannot be empty', 'self.size() != 0'),
    rule(
      "expected at least one, got none, ['tags', 'id', 'name']",
      'self.all(x, has(x.tags) || has(x.id) || has(x.name))',
    ),
    rule(
      "'id' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term",
      '!self.all(x, has(x.id) && (has(x.tags) || has(x.name)))',
    ),
    rule(
      "'name' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term",
      '!self.all(x, has(x.name) && (has(x.tags) || has(x.id)))',
    ),
  ],
);

export const capacityReservationSelectorTerms: JsonSchema = terms(
  'Which capacity reservations nodes may be launched into: those that any of the terms selects.',
  {
    id: text('The id of the reservation.', { pattern: '^cr-[0-9a-z]+$' }),
    instanceMatchCriteria: text('Which launches the reservation takes.', { enum: ['open', 'targeted'] }),
    ownerID: text('The AWS account that owns the reservation.', { pattern: '^[0-9]{12}$' }),
    tags: someTags,
  },
  [
    rule(
      "expected at least one, got none, ['tags', 'id', 'instanceMatchCriteria']",
      'self.all(x, has(x.tags) || has(x.id) || has(x.instanceMatchCriteria))',
    ),
    rule(
      "'id' is mutually exclusive, cannot be set along with other fields in a capacity reservation selector term",
      '!self.all(x, has(x.id) && (has(x.tags) || has(x.ownerID) || has(x.instanceMatchCriteria)))',
    ),
  ],
);

const alias = text(
  'An image that AWS maintains, as `family@version`: for example `al2023@v20240625`, or `bottlerocket@latest`. With `latest`, nodes drift whenever a new image is out. Windows has no other version.',
  {
    maxLength: 30,
    'x-kubernetes-validations': [
      rule(
        "'alias' is improperly formatted, must match the format 'family@version'",
        "self.matches('^[a-zA-Z0-9]+@.+$')",
      ),
      rule(
        "family is not supported, must be one of the following: 'al2', 'al2023', 'bottlerocket', 'windows2019', 'windows2022', 'windows2025'",
        "self.split('@')[0] in ['al2','al2023','bottlerocket','windows2019','windows2022','windows2025']",
      ),
      rule(
        "windows families may only specify version 'latest'",
        "self.split('@')[0] in ['windows2019','windows2022','windows2025'] ? self.split('@')[1] == 'latest' : true",
      ),
    ],
  },
);

export const amiSelectorTerms: JsonSchema = terms(
  'Which images nodes are launched with: those that any of the terms selects.',
  {
    alias,
    id: text('The id of the image.', { pattern: 'ami-[0-9a-z]+' }),
    name: text('The name of the image, which is not its tag `Name`.'),
    owner: text('Who owns the image: AWS accounts, `self`, `amazon` or `aws-marketplace`.'),
    ssmParameter: text('The name or ARN of the SSM parameter that holds the id of the image.'),
    tags: someTags,
  },
  [
    rule(
      "expected at least one, got none, ['tags', 'id', 'name', 'alias', 'ssmParameter']",
      'self.all(x, has(x.tags) || has(x.id) || has(x.name) || has(x.alias) || has(x.ssmParameter))',
    ),
    rule(
      "'id' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms",
      '!self.exists(x, has(x.id) && (has(x.alias) || has(x.tags) || has(x.name) || has(x.owner)))',
    ),
    rule(
      "'alias' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms",
      '!self.exists(x, has(x.alias) && (has(x.id) || has(x.tags) || has(x.name) || has(x.owner)))',
    ),
    rule(
      "'alias' is mutually exclusive, cannot be set with a combination of other amiSelectorTerms",
      '!(self.exists(x, has(x.alias)) && self.size() != 1)',
    ),
  ],
  { minItems: 1 },
);

export const placementGroupSelector: JsonSchema = {
  description: 'The placement group that nodes are launched in.',
  type: 'object',
  properties: {
    id: text('The id of the placement group.', { pattern: '^pg-[0-9a-z]+$' }),
    name: text('The name of the placement group.', { minLength: 1 }),
  },
  'x-kubernetes-validations': [
    rule("expected at least one, got none, ['name', 'id']", 'has(self.name) || has(self.id)'),
    rule("'name' and 'id' are mutually exclusive", '!(has(self.name) && has(self.id))'),
  ],
};
