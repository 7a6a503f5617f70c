type AnyCall = (input: never, options?: never) => Promise<unknown>;

export interface RecordedCall {
  readonly name: string;
  readonly input: unknown;
}

/** An AWS API of which only the given calls answer; all that is asked of it is in `calls`. */
export function scriptedApi<Api extends Readonly<Record<keyof Api, AnyCall>>>(
  answers: Partial<Api>,
): {
  readonly api: Api;
  readonly calls: readonly RecordedCall[];
  inputs<Name extends keyof Api>(name: Name): readonly Parameters<Api[Name]>[0][];
} {
  const calls: RecordedCall[] = [];
  const api = new Proxy({} as Api, {
    get(_target, name) {
      if (typeof name !== 'string') return undefined;
      return async (input: never, options?: never): Promise<unknown> => {
        calls.push({ name, input });
        const answer = answers[name as keyof Api] as AnyCall | undefined;
        if (!answer) throw new Error(`nobody expected the call ${name}`);
        return await answer(input, options);
      };
    },
  });
  return {
    api,
    calls,
    inputs: (name) =>
      calls.filter((call) => call.name === name).map((call) => call.input as Parameters<Api[typeof name]>[0]),
  };
}

/** An error as the SDK throws it. */
export function awsError(code: string, message = code, httpStatusCode = 400): Error {
  return Object.assign(new Error(message), { name: code, $metadata: { httpStatusCode }, $fault: 'client' });
}

/** What EC2 answers to a dry run of something that it would have done. */
export const dryRunSuccess = (): Error =>
  awsError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412);
