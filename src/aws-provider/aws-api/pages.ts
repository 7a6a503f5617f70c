/** All pages of a list call, one after the other. */
export async function* pages<
  Input extends { NextToken?: string | undefined },
  Output extends { NextToken?: string | undefined },
>(call: (input: Input) => Promise<Output>, input: Input): AsyncGenerator<Output> {
  let token: string | undefined;
  do {
    const page = await call(token === undefined ? input : { ...input, NextToken: token });
    yield page;
    token = page.NextToken || undefined;
  } while (token !== undefined);
}
