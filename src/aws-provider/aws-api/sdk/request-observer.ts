import type { Clock } from '../../../kube/clock.ts';
import { withLogFields } from '../../../logging/error-fields.ts';
import type { Metrics } from '../../../metrics/metrics.ts';

/** Who is asked for what. */
export interface Operation {
  readonly service: string;
  readonly name: string;
}

interface Metadata {
  readonly httpStatusCode?: number;
  readonly requestId?: string;
  readonly attempts?: number;
}

/** What becomes of a request. */
interface Outcome {
  readonly output?: { readonly $metadata?: Metadata };
}

/** Without an answer there is no status. */
const NO_STATUS = 0;

/**
 * Measures requests to AWS and their single tries (aws-provider.md 1.1, 28), and gives the errors the fields and the form
 * that upstream's have.
 */
export class RequestObserver {
  readonly #metrics: Metrics;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(deps: { readonly metrics: Metrics; readonly clock: Pick<Clock, 'now'> }) {
    this.#metrics = deps.metrics;
    this.#clock = deps.clock;
  }

  /** A request with all its tries. */
  async request<T extends Outcome>(operation: Operation, send: () => Promise<T>): Promise<T> {
    const start = this.#clock.now();
    try {
      const result = await send();
      this.#requested(operation, start, result.output?.$metadata);
      return result;
    } catch (error) {
      this.#requested(operation, start, metadataOf(error));
      throw told(operation, error);
    }
  }

  async attempt<T extends Outcome>(operation: Operation, send: () => Promise<T>): Promise<T> {
    const start = this.#clock.now();
    try {
      const result = await send();
      const metadata = result.output?.$metadata;
      // A page of some proxy in between reads like an answer that lists nothing.
      if (!metadata?.requestId) throw new Error('the answer is not of AWS, for it has no request id');
      this.#attempted(operation, start, metadata);
      return result;
    } catch (error) {
      this.#attempted(operation, start, metadataOf(error));
      throw error;
    }
  }

  #requested(operation: Operation, start: number, metadata: Metadata = {}): void {
    const labels = labelsOf(operation, metadata);
    this.#metrics.count('aws_sdk_go_request_total', labels);
    this.#metrics.observe('aws_sdk_go_request_duration_seconds', (this.#clock.now() - start) / 1000, labels);
    this.#metrics.observe('aws_sdk_go_request_retry_count', Math.max(0, (metadata.attempts ?? 1) - 1), labels);
  }

  #attempted(operation: Operation, start: number, metadata: Metadata = {}): void {
    const labels = labelsOf(operation, metadata);
    this.#metrics.count('aws_sdk_go_request_attempt_total', labels);
    this.#metrics.observe('aws_sdk_go_request_attempt_duration_seconds', (this.#clock.now() - start) / 1000, labels);
  }
}

const labelsOf = ({ service, name }: Operation, { httpStatusCode }: Metadata) => ({
  service,
  action: name,
  code: String(httpStatusCode ?? NO_STATUS),
});

function metadataOf(error: unknown): Metadata {
  return (error instanceof Error && '$metadata' in error && (error.$metadata as Metadata)) || {};
}

/** The error as upstream words it, with what AWS answered as its cause; its fields are on every line that logs it. */
function told({ service, name }: Operation, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'AbortError') return error;
  const { httpStatusCode, requestId = '' } = metadataOf(error);
  const answered = httpStatusCode !== undefined;
  const what = answered
    ? `https response error StatusCode: ${httpStatusCode}, RequestID: ${requestId}, api error ${error.name}: ${error.message}`
    : error.message || error.name;
  return withLogFields(new Error(`operation error ${service}: ${name}, ${what}`, { cause: error }), {
    'aws-service-name': service,
    'aws-operation-name': name,
    ...(answered
      ? { 'aws-request-id': requestId, 'aws-status-code': httpStatusCode, 'aws-error-code': error.name }
      : {}),
  });
}
