import type { Message } from '@aws-sdk/client-sqs';
import type { ControllerContext } from '../../../controllers/context.ts';
import { inParallel } from '../../../controllers/in-parallel.ts';
import { type ControllerSpec, type ReconcileResult, reads } from '../../../kube/controller.ts';
import { NodeClaims, Nodes } from '../../../kube/resources.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { SqsProvider } from '../../providers/sqs/sqs-provider.ts';
import type { InterruptionHandler } from './interruption-handler.ts';
import type { InterruptionMessage } from './message.ts';
import { parseMessage } from './parse-message.ts';

export interface InterruptionDeps extends Pick<ControllerContext, 'clock' | 'metrics' | 'log'> {
  readonly queue: Pick<SqsProvider, 'receive' | 'delete'>;
  readonly handler: Pick<InterruptionHandler, 'handle'>;
}

const PARALLEL = 10;

/**
 * Waits for messages of the interruption queue and acts on them, one batch after the other (aws-provider.md section 25).
 * A message is deleted when it is done with, or can't be read; one that could not be acted upon comes back after its
 * 20 seconds. Spot instances go within two minutes, so no failure holds the queue up for more than a second.
 */
export class Interruption implements ControllerSpec {
  readonly name = 'interruption';
  /** A message about a claim that is not known yet would be deleted as one about somebody else's instance. */
  readonly watches = [reads(NodeClaims), reads(Nodes)];
  readonly initialKeys = ['all'];
  readonly #deps: InterruptionDeps;

  constructor(deps: InterruptionDeps) {
    this.#deps = deps;
  }

  /** Waiting for messages ends at once when the controller is to stop; what has come is still acted upon. */
  async reconcile(_key: string, signal: AbortSignal, stopping: AbortSignal): Promise<ReconcileResult> {
    const messages = await this.#deps.queue.receive(stopping);
    await inParallel(PARALLEL, messages, (message) => this.#take(message, signal));
    return { requeueAfter: 0 };
  }

  async #take(raw: Message, signal: AbortSignal): Promise<void> {
    const { clock, metrics, handler } = this.#deps;
    const message = this.#read(raw);
    if (message) {
      metrics.count('interruption_received_messages_total', { message_type: message.kind });
      try {
        await handler.handle(message, signal);
      } catch (error) {
        throw wrappedError('handling message', error);
      }
      if (message.sentAt !== undefined) {
        metrics.observe('interruption_message_queue_duration_seconds', (clock.now() - message.sentAt) / 1000);
      }
    }
    await this.#deps.queue.delete(raw, signal);
    metrics.count('interruption_deleted_messages_total');
  }

  #read(raw: Message): InterruptionMessage | undefined {
    try {
      return parseMessage(raw.Body);
    } catch (error) {
      this.#deps.log.error('failed parsing interruption message', error);
      return undefined;
    }
  }
}
