import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { RealClock } from '../operator/clock.ts';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import type { Clock } from './clock.ts';
import { HttpClient } from './http-client.ts';
import { jsonLines } from './json-lines.ts';
import { ConfigMaps, Deployments, Nodes, Pods } from './resources.ts';

interface Seen {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Answer = (response: ServerResponse, seen: Seen) => void;

async function setUp(answer: Answer, clock: Clock = new RealClock()) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const entry = { line: `${request.method} ${request.url}`, headers: request.headers, body };
    seen.push(entry);
    answer(response, entry);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const access = {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`,
    namespace: 'default',
    tls: {},
    headers: async () => ({ authorization: 'Bearer t', 'impersonate-group': ['a', 'b'] }),
  };
  const client = new HttpClient({ access, clock, userAgent: 'test/1' });
  closers.push(() => client.close());
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { client, seen, server };
}

const json =
  (body: unknown, code = 200, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a b', namespace: 'ns' }, spec: { containers: [] } };

describe('requests', () => {
  it('go to the paths and parameters of the API', async () => {
    const { client, seen } = await setUp(json(pod));
    await client.get(Pods, { namespace: 'ns', name: 'a b' });
    await client.get(Nodes, { name: 'n' });
    await client.create(Pods, pod, { dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' });
    await client.create(Pods, pod, { subresource: 'binding' });
    await client.update(Pods, pod, { subresource: 'status' });
    await client.patch(Deployments, { namespace: 'ns', name: 'd' }, { type: 'apply', body: {}, force: true });
    await client.delete(Pods, { namespace: 'ns', name: 'p' }, { dryRun: true, gracePeriodSeconds: 0 });
    expect(seen.map(({ line }) => line)).toEqual([
      'GET /prefix/api/v1/namespaces/ns/pods/a%20b',
      'GET /prefix/api/v1/nodes/n',
      'POST /prefix/api/v1/namespaces/ns/pods?dryRun=All&fieldManager=me&fieldValidation=Strict',
      'POST /prefix/api/v1/namespaces/ns/pods/a%20b/binding',
      'PUT /prefix/api/v1/namespaces/ns/pods/a%20b/status',
      'PATCH /prefix/apis/apps/v1/namespaces/ns/deployments/d?force=true',
      'DELETE /prefix/api/v1/namespaces/ns/pods/p',
    ]);
    expect(seen[5]?.headers['content-type']).toBe('application/apply-patch+yaml');
    expect(JSON.parse(seen[6]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      dryRun: ['All'],
    });
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer t',
      'user-agent': 'test/1',
      'impersonate-group': 'a, b',
    });
  });

  it('list with selectors and pages, and name the kind of each item', async () => {
    const { client, seen } = await setUp(
      json({
        metadata: { resourceVersion: '7', continue: 'more', remainingItemCount: 3 },
        items: [{ metadata: { name: 'c' } }],
      }),
    );
    const list = await client.list(ConfigMaps, { namespace: 'ns', labelSelector: 'a in (b,c)', limit: 1 });
    expect(list).toEqual({
      items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }],
      resourceVersion: '7',
      continue: 'more',
      remainingItemCount: 3,
    });
    expect(seen[0]?.line).toBe('GET /prefix/api/v1/namespaces/ns/configmaps?labelSelector=a+in+%28b%2Cc%29&limit=1');
  });
});

describe('refusals', () => {
  it('carry the Status of the API', async () => {
    const status = { kind: 'Status', code: 409, reason: 'Conflict', message: 'changed' };
    const { client } = await setUp(json(status, 409));
    await expect(client.update(Pods, pod)).rejects.toMatchObject({
      name: 'ApiError',
      code: 409,
      reason: 'Conflict',
      status,
    });
  });

  it('carry the text where something in between answers', async () => {
    const { client } = await setUp((response) => response.writeHead(502).end('bad gateway\n'));
    await expect(client.get(Pods, { name: 'p' })).rejects.toMatchObject({
      name: 'ApiError',
      code: 502,
      message: 'bad gateway',
    });
  });

  it('with Retry-After delay reads, but never repeat a write', async () => {
    let refusals = 2;
    const busy = json({ kind: 'Status', code: 429, message: 'busy' }, 429, { 'retry-after': '0' });
    const { client, seen } = await setUp((response, entry) => (refusals-- > 0 ? busy : json(pod))(response, entry));
    expect(await client.get(Pods, { name: 'p' })).toEqual(pod);
    expect(seen).toHaveLength(3);
    refusals = 1;
    await expect(client.create(Pods, pod)).rejects.toMatchObject({ code: 429 });
    expect(seen).toHaveLength(4);
  });
});

describe('without an answer', () => {
  it('a request fails with a ConnectionError', async () => {
    const { client, server } = await setUp(json(pod));
    await new Promise((resolve) => server.close(resolve));
    await expect(client.get(Pods, { name: 'p' })).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('an answer that is no JSON is one too', async () => {
    const { client } = await setUp((response) => response.end('<html>'));
    await expect(client.get(Pods, { name: 'p' })).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('a read is sent once more when the kept connection had just been closed', async () => {
    let first = true;
    const { client, seen } = await setUp((response, entry) => {
      if (first) response.socket?.destroy();
      else json(pod)(response, entry);
      first = false;
    });
    expect(await client.get(Pods, { name: 'p' })).toEqual(pod);
    expect(seen).toHaveLength(2);
    first = true;
    await expect(client.create(Pods, pod)).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('the signal ends the wait with its own reason', async () => {
    const { client } = await setUp(() => {});
    const stop = new AbortController();
    const request = client.get(Pods, { name: 'p' }, stop.signal);
    stop.abort(new Error('enough'));
    await expect(request).rejects.toThrow('enough');
  });
});

describe('behind a proxy', () => {
  it('everything goes through it', async () => {
    const { seen, server } = await setUp(json(pod));
    const proxyUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const access = { server: 'http://api.example', namespace: 'default', tls: {}, proxyUrl, headers: async () => ({}) };
    const client = new HttpClient({ access, clock: new RealClock(), userAgent: 'test/1' });
    closers.unshift(() => client.close());
    expect(await client.get(Pods, { name: 'p' })).toEqual(pod);
    expect(seen[0]?.line).toBe('GET http://api.example/api/v1/pods/p');
  });
});

describe('a watch', () => {
  const event = (name: string): string => `${JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })}\n`;

  async function collect(client: HttpClient, signal: AbortSignal): Promise<string[]> {
    const names: string[] = [];
    for await (const change of client.watch(Pods, { resourceVersion: '5', timeoutSeconds: 1 }, signal)) {
      if (change.type !== 'ERROR') names.push(change.object.metadata.name);
    }
    return names;
  }

  it('yields events however the stream is cut, until the server ends it', async () => {
    const { client, seen } = await setUp(async (response) => {
      const text = Buffer.from(event('ä') + event('b'));
      for (let i = 0; i < text.length; i += 7) {
        response.write(text.subarray(i, i + 7));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    expect(await collect(client, new AbortController().signal)).toEqual(['ä', 'b']);
    expect(seen[0]?.line).toBe('GET /prefix/api/v1/pods?resourceVersion=5&timeoutSeconds=1&watch=true');
  });

  it('ends quietly with its signal', async () => {
    const stop = new AbortController();
    const { client } = await setUp((response) => {
      response.write(event('a'));
      setImmediate(() => stop.abort());
    });
    expect(await collect(client, stop.signal).then((names) => names.length <= 1)).toBe(true);
  });

  it('throws ApiError when it is refused, ConnectionError when it breaks or makes no sense', async () => {
    const refused = await setUp(json({ kind: 'Status', code: 410, reason: 'Expired' }, 410));
    const { signal } = new AbortController();
    await expect(collect(refused.client, signal)).rejects.toMatchObject({ name: 'ApiError', code: 410 });
    const broken = await setUp((response) => response.write(event('a'), () => response.socket?.destroy()));
    await expect(collect(broken.client, signal)).rejects.toMatchObject({ name: 'ConnectionError' });
    const garbled = await setUp((response) => response.end('{"type":"AD'));
    await expect(collect(garbled.client, signal)).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('is given up when the server stays silent long after it should have ended it', async () => {
    const clock = new VirtualClock();
    const { client, seen } = await setUp((response) => response.writeHead(200).flushHeaders(), clock);
    const outcome = collect(client, new AbortController().signal).catch((error: unknown) => error);
    while (seen.length === 0) await clock.settle();
    await clock.advance(31_000);
    expect(await outcome).toMatchObject({ name: 'ConnectionError' });
  });
});

describe('jsonLines', () => {
  it('skips empty lines', async () => {
    const chunks = (async function* () {
      yield '{"a":1}\n\n';
      yield ' \n2';
    })();
    const values = [];
    for await (const value of jsonLines(chunks)) values.push(value);
    expect(values).toEqual([{ a: 1 }, 2]);
  });
});
