import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { HttpClient } from './http-client.ts';
import { clientLimiter, RateLimiter } from './rate-limiter.ts';
import { Pods } from './resources.ts';

test('10.1: the client sends a burst at once and then so many a second, and watches whenever they like', async () => {
  const watching = Promise.withResolvers<void>();
  const server = createServer(({ url }, response) => {
    if (url?.includes('watch=true')) watching.resolve();
    response.setHeader('content-type', 'application/json').end('{"metadata":{"name":"p"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const clock = new VirtualClock(0);
  const access = { server: `http://127.0.0.1:${port}`, namespace: 'default', tls: {}, headers: async () => ({}) };
  const limiter = clientLimiter({ clock }, { qps: 10, burst: 2 });
  const client = new HttpClient({ access, clock, userAgent: 'test', ...(limiter ? { limiter } : {}) });
  try {
    const answered: number[] = [];
    const requests = Array.from({ length: 4 }, () =>
      client.get(Pods, { name: 'p', namespace: 'default' }).then(() => answered.push(clock.now())),
    );
    await Promise.all(requests.slice(0, 2));
    for await (const _ of client.watch(Pods, {}, new AbortController().signal)) break;
    await watching.promise;
    expect(answered).toEqual([0, 0]);
    await clock.advance(100);
    await requests[2];
    expect(answered).toEqual([0, 0, 100]);
    await clock.advance(100);
    await requests[3];
    expect(answered).toEqual([0, 0, 100, 200]);
  } finally {
    await client.close();
    server.close();
  }
});

test('10.1: a rate of 0 is client-go’s default, and a negative one no limit', async () => {
  const clock = new VirtualClock(0);
  const limiter = clientLimiter({ clock }, { qps: 0, burst: 0 });
  const times: number[] = [];
  for (let i = 0; i < 12; i++) void limiter?.acquire().then(() => times.push(clock.now()));
  await clock.advance(1000);
  expect(times).toEqual([...Array.from({ length: 10 }, () => 0), 200, 400]);
  expect(clientLimiter({ clock }, { qps: -1, burst: 300 })).toBeUndefined();
});

test('a limiter lets a burst through and then one at a time', async () => {
  const clock = new VirtualClock(0);
  const limiter = new RateLimiter({ clock }, { qps: 10, burst: 3 });
  const times: number[] = [];
  for (let i = 0; i < 6; i++) void limiter.acquire().then(() => times.push(clock.now()));
  await clock.advance(1000);
  expect(times).toEqual([0, 0, 0, 100, 200, 300]);
});
