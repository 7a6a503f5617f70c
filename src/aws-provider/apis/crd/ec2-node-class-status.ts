import type { JsonSchema } from '../../../apis/crds/json-schema.ts';
import { plainConditions } from '../../../apis/crds/schema-parts.ts';
import { flag, text } from './schema-words.ts';

const list = (
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema => ({ description, type: 'array', items: { type: 'object', required, properties } });

const requirements: JsonSchema = list(
  'The labels of instance types that the image runs on.',
  {
    key: text('The label that is asked about.'),
    operator: text('How the label relates to the values.'),
    values: {
      description: 'The values that the operator compares with.',
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-list-type': 'atomic',
    },
  },
  ['key', 'operator'],
);

const capacityReservations: JsonSchema = list(
  'The capacity reservations that the terms select.',
  {
    availabilityZone: text('The zone of the reservation.'),
    endTime: text('When the reservation ends, and nothing can be launched into it any more.', { format: 'date-time' }),
    id: text('The id of the reservation.', { pattern: '^cr-[0-9a-z]+$' }),
    instanceMatchCriteria: text('Which launches the reservation takes.', { enum: ['open', 'targeted'] }),
    instanceType: text('The instance type that is reserved.'),
    interruptible: flag('Whether EC2 may take instances back.'),
    ownerID: text('The AWS account that owns the reservation.', { pattern: '^[0-9]{12}$' }),
    reservationType: text('The kind of reservation.', { default: 'default', enum: ['default', 'capacity-block'] }),
    state: text('A capacity block expires when EC2 is about to reclaim its instances.', {
      default: 'active',
      enum: ['active', 'expiring'],
    }),
  },
  ['availabilityZone', 'id', 'instanceMatchCriteria', 'instanceType', 'ownerID'],
);

/** What was found in AWS for the class. */
export const status: JsonSchema = {
  description: 'What was found in AWS for the class.',
  type: 'object',
  properties: {
    amis: list(
      'The images that the terms select.',
      {
        deprecated: flag('Whether the owner of the image advises against it.'),
        id: text('The id of the image.'),
        name: text('The name of the image.'),
        requirements,
      },
      ['id', 'requirements'],
    ),
    capacityReservations,
    conditions: plainConditions,
    instanceProfile: text('The instance profile of nodes.'),
    securityGroups: list(
      'The security groups that the terms select.',
      { id: text('The id of the security group.'), name: text('The name of the security group.') },
      ['id'],
    ),
    subnets: list(
      'The subnets that the terms select, those with most free addresses first.',
      {
        id: text('The id of the subnet.'),
        zone: text('The zone of the subnet.'),
        zoneID: text('The id of the zone, which is the same in every account.'),
      },
      ['id', 'zone'],
    ),
  },
};
