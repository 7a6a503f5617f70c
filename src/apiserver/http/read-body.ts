import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../api-refusals.ts';

/** Bytes that a request body may have, as upstream's default. */
const mostBytes = 3 * 1024 * 1024;

/** Reads a request's whole body. Throws ApiError 413 beyond the limit. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw tooLarge(`Request entity too large: limit is ${mostBytes}`);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
