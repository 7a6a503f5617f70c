import { type Finding, fail, pass, skipped, warn } from '../../doctor/finding.ts';
import { isAwsNotFound } from '../aws-api/error-kinds.ts';
import { isDenied } from '../aws-api/permissions.ts';
import type { AwsDoctorDeps } from './deps.ts';
import { allowed, errorSummary, type Outcome, outcomeOf, tryAction, untried } from './outcome.ts';

const CHECK = 'interruption queue';
const GET = 'sqs:GetQueueUrl';
const RECEIVE = 'sqs:ReceiveMessage';
const DELETE = 'sqs:DeleteMessage';
/** No message's: SQS refuses it, after it has looked at the permissions. */
const NO_HANDLE = 'kubectl-karpenter-doctor';

export interface QueueResult {
  readonly findings: readonly Finding[];
  readonly outcomes: readonly Outcome[];
}

/**
 * Whether the queue is there and may be read. One message at most is received, and is visible again at once: a controller
 * that works here gets it all the same. It only counts as received once more, which matters to nobody unless the queue has a
 * dead-letter queue with a small limit.
 */
export async function queueResult(
  { apis, options }: Pick<AwsDoctorDeps, 'apis' | 'options'>,
  signal: AbortSignal,
): Promise<QueueResult> {
  const { interruptionQueue: name } = options;
  if (name === '') return withoutQueue();
  const asked = { signal, once: true };
  let url: string;
  try {
    url = (await apis.sqs.getQueueUrl({ QueueName: name }, asked)).QueueUrl ?? '';
  } catch (error) {
    return { findings: [missing(name, error)], outcomes: unknownQueue(error) };
  }
  const receive = { QueueUrl: url, MaxNumberOfMessages: 1, VisibilityTimeout: 0, WaitTimeSeconds: 0 };
  const outcomes = await Promise.all([
    allowed(GET),
    tryAction(RECEIVE, () => apis.sqs.receiveMessage(receive, asked)),
    tryAction(DELETE, () => apis.sqs.deleteMessage({ QueueUrl: url, ReceiptHandle: NO_HANDLE }, asked)),
  ]);
  return { findings: [pass(CHECK, url)], outcomes };
}

function withoutQueue(): QueueResult {
  const message = 'none: spot interruptions, rebalancing and maintenance are noticed only when the machine is gone';
  const fix = ['--interruption-queue NAME, of the queue that install/aws makes'];
  const outcomes = [GET, RECEIVE, DELETE].map((action) => untried(action, 'there is no --interruption-queue'));
  return { findings: [warn(CHECK, message, { fix })], outcomes };
}

function missing(name: string, error: unknown): Finding {
  if (isDenied(error)) return skipped(CHECK, `"${name}" may not be looked up: see the permissions`);
  if (!isAwsNotFound(error)) return fail(CHECK, `"${name}": ${errorSummary(error)}`);
  const fix = [
    'the name of a queue in this region and account, not its URL',
    'install/aws makes one, with the rules of EventBridge that fill it',
  ];
  return fail(CHECK, `"${name}" does not exist`, { fix });
}

const unknownQueue = (error: unknown): readonly Outcome[] => [
  outcomeOf(GET, error),
  ...[RECEIVE, DELETE].map((action) => untried(action, 'the queue was not found')),
];
