import type { CallOptions } from '../../../src/aws-provider/aws-api/apis.ts';
import { awsError, type RecordedCall } from '../scripted-api.ts';
import type { FakeCloud } from './cloud.ts';

type AnyCall = (input: never, options?: CallOptions) => Promise<unknown>;
type AnyApi<Api> = { readonly [Name in keyof Api]: AnyCall };

/** An error, or the one for that input. */
type Failure = Error | ((input: never) => Error);

/** All calls that were made, and those that shall fail. */
export class FakeCalls {
  readonly all: (RecordedCall & { readonly once: boolean })[] = [];
  readonly #failures = new Map<string, { readonly error: Failure; times: number }>();

  /** Inputs of the calls of this name, oldest first. */
  inputs<Input = Readonly<Record<string, unknown>>>(name: string): readonly Input[] {
    return this.all.filter((call) => call.name === name).map(({ input }) => input as Input);
  }

  /** The next calls of this name (all of them unless `times` is given) fail. */
  fail(name: string, error: Failure, times = Number.POSITIVE_INFINITY): void {
    this.#failures.set(name, { error, times });
  }

  /** As AWS answers who calls too often. */
  throttle(name: string, times = 1): void {
    this.fail(name, awsError('RequestLimitExceeded', 'Request limit exceeded.', 503), times);
  }

  /** As EC2 answers whom no policy allows it. */
  forbid(name: string): void {
    const text =
      'You are not authorized to perform this operation. User: arn:aws:sts::123456789012:assumed-role/controller is not authorized to perform it because no identity-based policy allows it.';
    this.fail(name, awsError('UnauthorizedOperation', text, 403));
  }

  succeed(name: string): void {
    this.#failures.delete(name);
  }

  clear(): void {
    this.all.length = 0;
  }

  /** The same API, recorded and made to fail as told. */
  around<Api extends AnyApi<Api>>(cloud: FakeCloud, api: Api): Api {
    const entries = Object.entries<AnyCall>(api).map(([name, call]) => [
      name,
      async (input: never, options?: CallOptions) => {
        options?.signal?.throwIfAborted();
        this.all.push({ name, input: structuredClone(input), once: options?.once ?? false });
        if (cloud.durations.call > 0) await cloud.clock.sleep(cloud.durations.call, options?.signal);
        this.#failAsTold(name, input);
        return await call(input, options);
      },
    ]);
    return Object.fromEntries(entries) as Api;
  }

  #failAsTold(name: string, input: never): void {
    const failure = this.#failures.get(name);
    if (!failure) return;
    failure.times--;
    if (failure.times <= 0) this.#failures.delete(name);
    throw typeof failure.error === 'function' ? failure.error(input) : failure.error;
  }
}
