import { createServer, type Server } from 'node:http';
import type { Readable } from 'node:stream';

/** One answer of an endpoint. */
export interface Page {
  readonly status: number;
  readonly body: string | Readable;
  readonly contentType?: string;
}

/** Makes the page of one path; the query may say how. */
export type PageMaker = (query: URLSearchParams) => Page | Promise<Page>;

/** Serves pages by path until the signal aborts; resolves when it listens. Port 0 serves nothing. */
export async function serve(
  port: number,
  pages: Readonly<Record<string, PageMaker>>,
  signal: AbortSignal,
): Promise<void> {
  if (port === 0 || signal.aborted) return;
  const server: Server = createServer((request, response) => {
    const [path = '', query] = (request.url ?? '').split('?');
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    const answer = async (): Promise<Page> =>
      (await page?.(new URLSearchParams(query))) ?? { status: 404, body: '404 page not found\n' };
    answer().then(
      ({ status, body, contentType = 'text/plain; charset=utf-8' }) => {
        response.writeHead(status, { 'content-type': contentType, 'x-content-type-options': 'nosniff' });
        if (typeof body === 'string') response.end(body);
        else body.on('error', () => response.destroy()).pipe(response);
      },
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  signal.addEventListener('abort', () => server.close(), { once: true });
  server.unref();
}
