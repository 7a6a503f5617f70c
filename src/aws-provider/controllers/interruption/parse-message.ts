import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { InterruptionMessage } from './message.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A kind of event, and what its detail says; nothing when it doesn't concern instances that are in use. */
interface EventKind {
  readonly source: string;
  readonly detailType: string;
  read(detail: Fields): InterruptionMessage | undefined;
}

const NO_OP: InterruptionMessage = { kind: 'no_op', instanceIDs: [] };
const ACCEPTED_STATES = ['stopping', 'stopped', 'shutting-down', 'terminated'];
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

const ofInstance = (kind: InterruptionMessage['kind']) => (detail: Fields) => ({
  kind,
  instanceIDs: [text(detail, 'instance-id')],
});

const KINDS: readonly EventKind[] = [
  {
    source: 'aws.ec2',
    detailType: 'EC2 Spot Instance Interruption Warning',
    read: ofInstance('spot_interrupted'),
  },
  { source: 'aws.health', detailType: 'AWS Health Event', read: scheduledChange },
  { source: 'aws.ec2', detailType: 'EC2 Instance State-change Notification', read: stateChange },
  {
    source: 'aws.ec2',
    detailType: 'EC2 Instance Rebalance Recommendation',
    read: ofInstance('rebalance_recommendation'),
  },
  {
    source: 'aws.ec2',
    detailType: 'EC2 Capacity Reservation Instance Interruption Warning',
    read: ofInstance('capacity_reservation_interrupted'),
  },
];

/**
 * Reads the body of a message of the interruption queue: an event of EventBridge (aws-provider.md section 25). What is none
 * of those that matter is a `no_op`.
 *
 * @throws an error when it is no event at all.
 */
export function parseMessage(body: string | undefined): InterruptionMessage {
  if (body === undefined) throw new Error('message or message body is nil');
  if (body === '') return NO_OP;
  try {
    return parseEvent(body);
  } catch (error) {
    throw wrappedError('parsing sqs message', error);
  }
}

function parseEvent(body: string): InterruptionMessage {
  const event = attempt('unmarshalling the message as Metadata', () => fields(JSON.parse(body), 'the message'));
  const { version, source, detailType, sentAt } = attempt('unmarshalling the message as Metadata', () => ({
    version: text(event, 'version'),
    source: text(event, 'source'),
    detailType: text(event, 'detail-type'),
    sentAt: time(event),
  }));
  const kind = KINDS.find((known) => known.source === source && known.detailType === detailType && version === '0');
  const message = kind && attempt('parsing event message', () => kind.read(fields(event.detail ?? {}, 'detail')));
  return { ...(message ?? NO_OP), ...(sentAt === undefined ? {} : { sentAt }) };
}

/** Only what is planned for EC2: Health tells of every service, and of what has gone wrong already. */
function scheduledChange(detail: Fields): InterruptionMessage | undefined {
  const entities = detail.affectedEntities ?? [];
  if (!Array.isArray(entities)) throw new TypeError('affectedEntities is no list');
  const instanceIDs = entities.map((entity: unknown) => text(fields(entity, 'affectedEntities'), 'entityValue'));
  const isPlanned = text(detail, 'service') === 'EC2' && text(detail, 'eventTypeCategory') === 'scheduledChange';
  return isPlanned ? { kind: 'scheduled_change', instanceIDs } : undefined;
}

/** As upstream: a state counts in any case, but only in lower case is it told that the instance stops. */
function stateChange(detail: Fields): InterruptionMessage | undefined {
  const state = text(detail, 'state');
  const instanceIDs = [text(detail, 'instance-id')];
  if (!ACCEPTED_STATES.includes(state.toLowerCase())) return undefined;
  const stops = state === 'stopping' || state === 'stopped';
  return { kind: stops ? 'instance_stopped' : 'instance_terminated', instanceIDs };
}

function fields(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${name} is no object`);
  return value as Fields;
}

/** Empty when it is not there. */
function text(from: Fields, name: string): string {
  const value = from[name] ?? '';
  if (typeof value !== 'string') throw new TypeError(`${name} is no text`);
  return value;
}

function time(event: Fields): number | undefined {
  const value = text(event, 'time');
  if (value === '') return undefined;
  const ms = RFC_3339.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw new TypeError(`time is none: ${value}`);
  return ms;
}

function attempt<T>(doing: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw wrappedError(doing, error);
  }
}
