import type { SqsApi } from '../../../src/aws-provider/aws-api/apis.ts';
import type { Clock } from '../../../src/kube/clock.ts';
import { awsError } from '../scripted-api.ts';
import type { FakeCloud } from './cloud.ts';

interface Message {
  readonly id: string;
  readonly body: string;
  /** Epoch milliseconds from which it can be received. */
  visibleAt: number;
}

/** A queue of SQS: long polls, and messages that come back unless they are deleted. */
export class FakeQueue {
  readonly url: string;
  readonly #clock: Clock;
  readonly #messages: Message[] = [];
  readonly #waiting = new Set<() => void>();
  #count = 0;

  constructor(clock: Clock, url: string) {
    this.#clock = clock;
    this.url = url;
  }

  /** Bodies of the messages that nobody has deleted. */
  get bodies(): readonly string[] {
    return this.#messages.map(({ body }) => body);
  }

  send(body: string | object): void {
    const id = `message-${++this.#count}`;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    this.#messages.push({ id, body: text, visibleAt: this.#clock.now() });
    for (const wake of [...this.#waiting]) wake();
  }

  async receive(max: number, visibilityMs: number, waitMs: number, signal?: AbortSignal): Promise<readonly Message[]> {
    const end = this.#clock.now() + waitMs;
    for (;;) {
      const now = this.#clock.now();
      const found = this.#messages.filter(({ visibleAt }) => visibleAt <= now).slice(0, max);
      if (found.length > 0 || now >= end) {
        for (const message of found) message.visibleAt = now + visibilityMs;
        return found;
      }
      await this.#changeBefore(Math.min(end, ...this.#messages.map(({ visibleAt }) => visibleAt)), signal);
    }
  }

  delete(id: string): void {
    const index = this.#messages.findIndex((message) => message.id === id);
    if (index >= 0) this.#messages.splice(index, 1);
  }

  async #changeBefore(time: number, signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        this.#waiting.delete(done);
        cancel();
        signal?.removeEventListener('abort', giveUp);
      };
      const done = () => {
        end();
        resolve();
      };
      const giveUp = () => {
        end();
        reject(signal?.reason);
      };
      const cancel = this.#clock.setTimeout(done, time - this.#clock.now());
      this.#waiting.add(done);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }
}

const SECOND_MS = 1000;

export function sqsApi(cloud: FakeCloud): SqsApi {
  const queueAt = (url: string | undefined): FakeQueue => {
    const queue = [...cloud.queues.values()].find((candidate) => candidate.url === url);
    if (!queue) throw awsError('QueueDoesNotExist', 'The specified queue does not exist.');
    return queue;
  };
  return {
    getQueueUrl: async ({ QueueName = '' }) => ({ QueueUrl: queueAt(cloud.queues.get(QueueName)?.url).url }),
    receiveMessage: async (input, options) => {
      const messages = await queueAt(input.QueueUrl).receive(
        input.MaxNumberOfMessages ?? 1,
        (input.VisibilityTimeout ?? 30) * SECOND_MS,
        (input.WaitTimeSeconds ?? 0) * SECOND_MS,
        options?.signal,
      );
      if (messages.length === 0) return {};
      return { Messages: messages.map(({ id, body }) => ({ MessageId: id, ReceiptHandle: id, Body: body })) };
    },
    deleteMessage: async ({ QueueUrl, ReceiptHandle = '' }) => queueAt(QueueUrl).delete(ReceiptHandle),
  };
}
