/**
 * Splits a stream of text into the JSON values on its lines, however the chunks are cut.
 *
 * @throws {SyntaxError} for a line that is not JSON, the last one included when the stream ends in the middle of it.
 */
export async function* jsonLines(chunks: AsyncIterable<string>): AsyncGenerator<unknown> {
  let rest = '';
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      const line = rest + chunk.slice(start, end);
      rest = '';
      start = end + 1;
      if (line.trim() !== '') yield JSON.parse(line);
    }
    rest += chunk.slice(start);
  }
  if (rest.trim() !== '') yield JSON.parse(rest);
}
