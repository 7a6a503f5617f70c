import { afterEach, describe, expect, it } from 'vitest';
import { connectionLost, ScriptedApi } from '../../test/support/scripted-api.ts';
import { SeededRandom } from '../operator/random.ts';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import type { Client } from './client.ts';
import { ApiError } from './errors.ts';
import { type Change, Informer } from './informer.ts';
import { Informers } from './informers.ts';
import type { Node } from './objects.ts';
import { Nodes } from './resources.ts';

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

const node = (zone: string): Partial<Node> => ({ spec: { providerID: zone } });

function setUp(options: { resync?: number } = {}) {
  const api = new ScriptedApi<Node>();
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  const deps = {
    client: api as unknown as Client,
    clock,
    random: new SeededRandom(1),
    onError: (error: unknown) => errors.push(error),
  };
  const informer = new Informer(deps, Nodes, options);
  const seen: string[] = [];
  const note = ({ type, object, old }: Change<Node>): void => {
    const value = (of: Node): string => of.spec?.providerID ?? '-';
    seen.push(`${type} ${object.metadata.name} ${old ? `${value(old)}>` : ''}${value(object)}`);
  };
  const stop = new AbortController();
  stops.push(stop);
  const start = async (): Promise<void> => {
    informer.onChange(note);
    void informer.run(stop.signal);
    await clock.settle();
  };
  const take = (): string[] => seen.splice(0);
  return { api, clock, informer, errors, start, take, note, stop };
}

describe('an informer', () => {
  it('reports what is there, and then every change', async () => {
    const { api, clock, informer, start, take } = setUp();
    api.put('a', node('z1'));
    expect(informer.hasSynced).toBe(false);
    await start();
    expect(informer.hasSynced).toBe(true);
    expect(take()).toEqual(['Added a z1']);
    api.put('b', node('z1'));
    api.put('a', node('z2'));
    api.remove('b');
    await clock.settle();
    expect(take()).toEqual(['Added b z1', 'Updated a z1>z2', 'Deleted b z1']);
    expect(informer.store.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
  });

  it('replays the cache to a handler that comes later', async () => {
    const { api, informer, start, note, take } = setUp();
    api.put('a', node('z1'));
    await start();
    take();
    informer.onChange(note);
    expect(take()).toEqual(['Added a z1']);
  });

  it('goes on from the last version, bookmarks included, when a watch ends or breaks', async () => {
    const { api, clock, start, take } = setUp();
    await start();
    api.put('a', node('z1'));
    api.bookmark();
    await clock.settle();
    api.endWatches(connectionLost());
    await clock.settle();
    api.put('b', node('z1'));
    await clock.advance(60_000);
    api.endWatches();
    await clock.settle();
    api.put('c', node('z1'));
    await clock.advance(60_000);
    expect(take()).toEqual(['Added a z1', 'Added b z1', 'Added c z1']);
    expect(api.calls).toEqual(['list', 'watch 0', 'watch 2', 'watch 3']);
  });

  it('lists again when history is gone, and reports what it slept through', async () => {
    const { api, clock, start, take } = setUp();
    api.put('stays', node('z1'));
    api.put('goes', node('z1'));
    api.put('changes', node('z1'));
    api.put('is replaced', node('z1'));
    await start();
    take();
    api.endWatches(connectionLost());
    await clock.settle();
    api.remove('goes');
    api.put('changes', node('z2'));
    api.remove('is replaced');
    api.put('is replaced', node('z3'), 'another');
    api.put('comes', node('z1'));
    api.compact();
    await clock.advance(60_000);
    expect(take().sort()).toEqual([
      'Added comes z1',
      'Added is replaced z3',
      'Deleted goes z1',
      'Deleted is replaced z1',
      'Updated changes z1>z2',
    ]);
  });

  it('does not go back to a list from before what it has seen', async () => {
    const { api, clock, informer, start, take, errors } = setUp();
    for (let i = 0; i < 10; i++) api.put('a', node(`z${i}`));
    await start();
    const early = await api.list(Nodes);
    api.put('b', node('z1'));
    await clock.settle();
    take();
    api.answerNextLists(early);
    api.compact();
    api.endWatches(new ApiError({ code: 410, reason: 'Expired' }));
    await clock.advance(60_000);
    expect(take()).toEqual([]);
    expect(informer.store.size).toBe(2);
    expect(errors.map(String)).toContainEqual(expect.stringContaining('list of version 10 is older than 11'));
    api.put('c', node('z1'));
    await clock.settle();
    expect(take()).toEqual(['Added c z1']);
  });

  it('goes back with an API that has been restored from a backup', async () => {
    const { api, clock, start, take } = setUp();
    api.put('a', node('z1'));
    const backup = await api.list(Nodes);
    api.put('b', node('z1'));
    await start();
    take();
    api.answerNextLists(...Array.from({ length: 100 }, () => backup));
    api.endWatches(new ApiError({ code: 410, reason: 'Expired' }));
    await clock.advance(60_000);
    // Its watch goes on from the backup's version, after which this API has b.
    expect(take()).toEqual(['Deleted b z1', 'Added b z1']);
  });

  it('keeps trying, less and less often, while the API does not answer', async () => {
    const { api, clock, informer, start, errors } = setUp();
    api.failNext(...Array.from({ length: 5 }, connectionLost), new ApiError({ code: 503 }));
    await start();
    await clock.advance(100);
    expect(api.calls).toHaveLength(1);
    await clock.advance(120_000);
    expect(informer.hasSynced).toBe(true);
    expect(errors).toHaveLength(6);
  });

  it('reads long lists in pages, and in one piece if the snapshot is lost between them', async () => {
    const { api, clock, informer, start } = setUp();
    for (let i = 0; i < 1200; i++) api.put(`n${i}`, node('z1'));
    await start();
    expect(informer.store.size).toBe(1200);
    expect(api.calls.slice(0, 3)).toEqual(['list', 'list more', 'list more']);

    const second = setUp();
    for (let i = 0; i < 600; i++) second.api.put(`n${i}`, node('z1'));
    second.api.compact();
    const list = second.api.list.bind(second.api);
    second.api.list = async (resource, options) => {
      const page = await list(resource, options);
      if (options?.limit !== undefined && !options.continue) {
        second.api.put('one more', node('z1'));
        second.api.compact();
      }
      return page;
    };
    await second.start();
    expect(second.informer.store.size).toBe(601);
    await clock.settle();
  });

  it('does not hammer a server that ends every watch at once', async () => {
    const { api, clock, start } = setUp();
    const watch = api.watch.bind(api);
    api.watch = (resource, options, signal) => {
      const events = watch(resource, options, signal);
      api.endWatches();
      return events;
    };
    await start();
    await clock.advance(60_000);
    expect(api.calls.length).toBeLessThan(20);
  });

  it('survives a handler that throws', async () => {
    const { api, clock, informer, start, take, errors } = setUp();
    informer.onChange(() => {
      throw new Error('handler');
    });
    await start();
    api.put('a', node('z1'));
    await clock.settle();
    expect(take()).toEqual(['Added a z1']);
    expect(errors).toHaveLength(1);
  });

  it('reports everything again at each resync', async () => {
    const { api, clock, start, take } = setUp({ resync: 60_000 });
    api.put('a', node('z1'));
    await start();
    take();
    await clock.advance(125_000);
    expect(take()).toEqual(['Updated a z1>z1', 'Updated a z1>z1']);
  });

  it('finds objects by index and by namespace, as they change', async () => {
    const { api, clock, informer, start } = setUp();
    informer.addIndex('zone', (object) => [object.spec.providerID ?? '']);
    api.put('a', node('z1'));
    await start();
    api.put('b', node('z1'));
    api.put('a', node('z2'));
    await clock.settle();
    const names = (zone: string): string[] => informer.store.byIndex('zone', zone).map(({ metadata }) => metadata.name);
    expect([names('z1'), names('z2')]).toEqual([['b'], ['a']]);
    expect(informer.store.list('')).toHaveLength(2);
    expect(informer.store.list('elsewhere')).toEqual([]);
    expect(() => informer.store.byIndex('rack', 'r1')).toThrow(RangeError);
  });

  it('ends with its signal', async () => {
    const { api, clock, informer, stop } = setUp();
    const running = informer.run(stop.signal);
    await clock.settle();
    stop.abort();
    await running;
    expect(api.calls).toEqual(['list', 'watch 0']);
  });
});

describe('informers', () => {
  it('are shared by all who ask for the same resource and filter', () => {
    const { api, clock } = setUp();
    const informers = new Informers({ client: api as unknown as Client, clock, random: new SeededRandom(1) });
    expect(informers.for(Nodes)).toBe(informers.for(Nodes));
    expect(informers.for(Nodes, { labelSelector: 'a' })).not.toBe(informers.for(Nodes));
  });
});
