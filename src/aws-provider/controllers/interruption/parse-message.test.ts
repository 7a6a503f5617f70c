import { describe, expect, test } from 'vitest';
import { parseMessage } from './parse-message.ts';

const TIME = '2026-01-01T00:00:05Z';
const sentAt = Date.parse(TIME);

const event = (detailType: string, detail: unknown, changes: object = {}): string =>
  JSON.stringify({ version: '0', source: 'aws.ec2', 'detail-type': detailType, time: TIME, detail, ...changes });
const state = (name: string): string =>
  event('EC2 Instance State-change Notification', { 'instance-id': 'i-1', state: name });
const health = (changes: object, source = 'aws.health'): string => {
  const detail = {
    service: 'EC2',
    eventTypeCategory: 'scheduledChange',
    affectedEntities: [{ entityValue: 'i-1' }, { entityValue: 'i-2' }],
    ...changes,
  };
  return event('AWS Health Event', detail, { source });
};

describe('a message tells', () => {
  test.each([
    ['spot_interrupted', event('EC2 Spot Instance Interruption Warning', { 'instance-id': 'i-1' })],
    ['rebalance_recommendation', event('EC2 Instance Rebalance Recommendation', { 'instance-id': 'i-1' })],
    [
      'capacity_reservation_interrupted',
      event('EC2 Capacity Reservation Instance Interruption Warning', { 'instance-id': 'i-1' }),
    ],
    ['instance_stopped', state('stopping')],
    ['instance_stopped', state('stopped')],
    ['instance_terminated', state('shutting-down')],
    ['instance_terminated', state('terminated')],
    // Known in any case, but told apart in lower case only, as upstream does.
    ['instance_terminated', state('Stopped')],
    ['instance_terminated', state('TERMINATED')],
  ])('%s: %s', (kind, body) => {
    expect(parseMessage(body)).toEqual({ kind, instanceIDs: ['i-1'], sentAt });
  });

  test('scheduled_change of all instances concerned', () => {
    expect(parseMessage(health({}))).toEqual({ kind: 'scheduled_change', instanceIDs: ['i-1', 'i-2'], sentAt });
    expect(parseMessage(health({ affectedEntities: undefined })).instanceIDs).toEqual([]);
  });
});

describe('nothing follows from', () => {
  test.each([
    ['a state that is no end', state('running')],
    ['a state that is no end', state('pending')],
    ['the health of another service', health({ service: 'RDS' })],
    ['a notice that is no plan', health({ eventTypeCategory: 'issue' })],
    ['health from another source', health({}, 'aws.ec2')],
    ['another version', event('EC2 Spot Instance Interruption Warning', { 'instance-id': 'i-1' }, { version: '1' })],
    ['another kind', event('EC2 Fleet Error', { 'instance-id': 'i-1' })],
    ['a kind in another case', event('ec2 spot instance interruption warning', { 'instance-id': 'i-1' })],
  ])('%s: %s', (_, body) => {
    expect(parseMessage(body)).toEqual({ kind: 'no_op', instanceIDs: [], sentAt });
  });

  test('an empty body, or an event of which nothing is known', () => {
    expect(parseMessage('')).toEqual({ kind: 'no_op', instanceIDs: [] });
    expect(parseMessage('{}')).toEqual({ kind: 'no_op', instanceIDs: [] });
  });
});

describe('a message can not be read', () => {
  test.each([
    ['without a body', undefined, 'message or message body is nil'],
    ['that is no JSON', 'hello', 'parsing sqs message, unmarshalling the message as Metadata, '],
    ['that is a list', '[]', 'parsing sqs message, unmarshalling the message as Metadata, the message is no object'],
    ['with a source that is no text', '{"source":1}', 'unmarshalling the message as Metadata, source is no text'],
    ['with a time that is none', '{"time":"today"}', 'unmarshalling the message as Metadata, time is none: today'],
    [
      'with a detail of another form',
      event('EC2 Spot Instance Interruption Warning', 'i-1'),
      'parsing sqs message, parsing event message, detail is no object',
    ],
    [
      'with an id that is no text',
      event('EC2 Spot Instance Interruption Warning', { 'instance-id': 1 }),
      'parsing event message, instance-id is no text',
    ],
    [
      'with instances of another form',
      health({ affectedEntities: ['i-1'] }),
      'parsing event message, affectedEntities is no object',
    ],
  ])('%s', (_, body, message) => {
    expect(() => parseMessage(body)).toThrow(message);
  });
});
