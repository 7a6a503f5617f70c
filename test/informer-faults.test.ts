import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiServer, makeCertificates } from '../src/apiserver/index.ts';
import type { Client } from '../src/kube/client.ts';
import { HttpClient } from '../src/kube/http-client.ts';
import { type Change, Informer } from '../src/kube/informer.ts';
import type { KubeObject } from '../src/kube/objects.ts';
import { ConfigMaps } from '../src/kube/resources.ts';
import { RealClock } from '../src/operator/clock.ts';
import { SeededRandom } from '../src/operator/random.ts';
import { VirtualClock } from '../src/simulation/virtual-clock.ts';
import { type FlakyProxy, flakyProxy } from './support/flaky-proxy.ts';

const token = 'secret';
const namespace = 'default';

let server: ApiServer;
let proxy: FlakyProxy;
let writer: Client;
let reader: HttpClient;
/** The informer's time: its pauses cost none of ours. */
let time: VirtualClock;

async function open(history?: number): Promise<void> {
  const clock = new RealClock();
  const certificates = await makeCertificates({ clock });
  server = await ApiServer.open({ clock, random: new SeededRandom(1), ...(history && { history }) });
  const { url } = await server.listen({ certificates, token });
  proxy = await flakyProxy(url);
  time = new VirtualClock(clock.now());
  const headers = async () => ({ authorization: `Bearer ${token}` });
  const access = { server: proxy.url, namespace, tls: { ca: certificates.ca }, headers };
  reader = new HttpClient({ access, clock: time, userAgent: 'test' });
  writer = server.client();
}

let stop: AbortController;
beforeEach(() => {
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await reader.close();
  await proxy.close();
  await server.stop();
});

/** What somebody who only listens to changes believes is there. */
function follow(informer: Informer<KubeObject>): Map<string, string> {
  const believed = new Map<string, string>();
  informer.onChange(({ type, object, old }: Change<KubeObject>) => {
    const key = keyOf(object);
    if (type === 'Added') expect(believed.has(key)).toBe(false);
    if (type === 'Updated') expect(believed.get(key)).toBe(old?.metadata.resourceVersion);
    if (type === 'Deleted') expect(believed.delete(key)).toBe(true);
    else believed.set(key, object.metadata.resourceVersion ?? '');
  });
  return believed;
}

/** Every namespace has a ConfigMap of the API server's own under the same name. */
const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

const versions = (objects: readonly KubeObject[]): Map<string, string> =>
  new Map(objects.map((object) => [keyOf(object), object.metadata.resourceVersion ?? '']));

async function truth(): Promise<Map<string, string>> {
  return versions((await writer.list(ConfigMaps)).items);
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await time.advance(250);
}

const same = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);

/** Creates, changes and deletes at random, disturbing the connection before each step. */
async function churn(steps: number, disturb: (random: SeededRandom, step: number) => void): Promise<void> {
  const random = new SeededRandom(7);
  for (let step = 0; step < steps; step++) {
    disturb(random, step);
    const name = `c${Math.floor(random.next() * 30)}`;
    const known = (await truth()).has(`${namespace}/${name}`);
    if (!known) {
      await writer.create(ConfigMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } });
    } else if (random.next() < 0.5) await writer.delete(ConfigMaps, { name, namespace });
    else {
      const body = { metadata: { labels: { step: String(step) } } };
      await writer.patch(ConfigMaps, { name, namespace }, { type: 'merge', body });
    }
    await time.advance(random.next() * 300);
  }
}

describe('an informer behind a connection that keeps breaking', () => {
  async function missesNothing(disturb: (random: SeededRandom, step: number) => void): Promise<number> {
    let lists = 0;
    const list = reader.list.bind(reader);
    reader.list = (...call) => {
      lists++;
      return list(...call);
    };
    const deps = { client: reader, clock: time, random: new SeededRandom(3), onError: () => {} };
    const informer = new Informer(deps, ConfigMaps);
    const believed = follow(informer);
    void informer.run(stop.signal);
    await until(async () => informer.hasSynced);
    await churn(300, disturb);
    proxy.limit(undefined);
    const end = await truth();
    await until(async () => same(believed, end));
    expect(versions(informer.store.list())).toEqual(end);
    return lists;
  }

  it('misses nothing when it can go on from where it was', async () => {
    await open();
    await missesNothing((random) => {
      if (random.next() < 0.2) proxy.cut();
      proxy.limit(random.next() < 0.3 ? Math.floor(random.next() * 20_000) : undefined);
    });
  });

  it('misses nothing when it was away for longer than history reaches back', async () => {
    await open(60);
    const lists = await missesNothing((_, step) => {
      const away = step % 100 >= 20;
      proxy.limit(away ? 0 : undefined);
      if (away) proxy.cut();
    });
    expect(lists).toBeGreaterThan(1);
  });
});
