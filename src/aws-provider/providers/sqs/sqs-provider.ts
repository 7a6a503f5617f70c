import type { Message } from '@aws-sdk/client-sqs';
import type { Logger } from '../../../logging/logger.ts';
import type { SqsApi } from '../../aws-api/apis.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';

export interface SqsProviderDeps {
  readonly sqs: SqsApi;
  readonly log: Logger;
  /** The queue's name. */
  readonly queueName: string;
}

const MOST_MESSAGES = 10;
const VISIBILITY_SECONDS = 20;
const WAIT_SECONDS = 20;

/** The interruption queue (aws-provider.md section 25). */
export class SqsProvider {
  readonly #deps: SqsProviderDeps;
  #url: string | undefined;

  constructor(deps: SqsProviderDeps) {
    this.#deps = deps;
  }

  /** Up to ten messages, as soon as there are some, or none after 20 seconds. Nobody else gets them for 20 seconds. */
  async receive(signal?: AbortSignal): Promise<readonly Message[]> {
    const options = signal ? { signal } : {};
    const url = await this.#queueUrl(signal);
    try {
      const { Messages = [] } = await this.#deps.sqs.receiveMessage(
        {
          QueueUrl: url,
          MaxNumberOfMessages: MOST_MESSAGES,
          VisibilityTimeout: VISIBILITY_SECONDS,
          WaitTimeSeconds: WAIT_SECONDS,
          MessageSystemAttributeNames: ['SentTimestamp'],
          MessageAttributeNames: ['All'],
        },
        options,
      );
      return Messages;
    } catch (error) {
      throw wrappedError('getting messages from queue, receiving sqs messages', error);
    }
  }

  async delete({ ReceiptHandle }: Message, signal?: AbortSignal): Promise<void> {
    const url = await this.#queueUrl(signal);
    try {
      await this.#deps.sqs.deleteMessage({ QueueUrl: url, ReceiptHandle }, signal ? { signal } : {});
    } catch (error) {
      throw wrappedError('deleting sqs message, deleting messages from sqs queue', error);
    }
  }

  /** Asked until it is known: the queue may be made after the controller. */
  async #queueUrl(signal?: AbortSignal): Promise<string> {
    if (this.#url !== undefined) return this.#url;
    const { sqs, log, queueName } = this.#deps;
    try {
      const { QueueUrl } = await sqs.getQueueUrl({ QueueName: queueName }, signal ? { signal } : {});
      if (!QueueUrl) throw new Error('the queue has no URL');
      this.#url = QueueUrl;
    } catch (error) {
      throw wrappedError('creating sqs provider', error);
    }
    log.debug('watching interruption queue', { queue: queueName });
    return this.#url;
  }
}
