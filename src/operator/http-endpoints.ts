import { createServer, type Server } from 'node:http';

/** One page of an endpoint. */
export interface Page {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
}

/** Serves pages by path until the signal aborts; resolves when it listens. Port 0 serves nothing. */
export async function serve(
  port: number,
  pages: Readonly<Record<string, () => Page | Promise<Page>>>,
  signal: AbortSignal,
): Promise<void> {
  if (port === 0 || signal.aborted) return;
  const server: Server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    Promise.resolve(pages[path]?.() ?? { status: 404, body: 'not found\n' }).then(
      ({ status, body, contentType = 'text/plain; charset=utf-8' }) =>
        response.writeHead(status, { 'content-type': contentType }).end(body),
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

/** What kubelets and load balancers ask for. */
export function probe(isGood: () => boolean): () => Page {
  return () => (isGood() ? { status: 200, body: 'ok' } : { status: 500, body: 'not ready' });
}
