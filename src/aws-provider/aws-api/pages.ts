/**
 * All pages of a list call, one after the other.
 *
 * @throws Error when AWS leads round in a circle: what was read so far is not the whole list.
 */
export async function* pages<
  Input extends { NextToken?: string | undefined },
  Output extends { NextToken?: string | undefined },
>(call: (input: Input) => Promise<Output>, input: Input): AsyncGenerator<Output> {
  const seen = new Set<string>();
  let token: string | undefined;
  do {
    const page = await call(token === undefined ? input : { ...input, NextToken: token });
    yield page;
    token = page.NextToken || undefined;
    if (token === undefined) continue;
    if (seen.has(token)) throw new Error(`the page ${JSON.stringify(token)} has come before`);
    seen.add(token);
  } while (token !== undefined);
}
