import { describe, expect, it } from 'vitest';
import { ScriptedApi } from '../../test/support/scripted-api.ts';
import { SeededRandom } from '../operator/random.ts';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import type { Client } from './client.ts';
import { type ControllerSpec, type Reconciled, watch } from './controller.ts';
import { Informers } from './informers.ts';
import { Manager } from './manager.ts';
import type { Node } from './objects.ts';
import { Nodes } from './resources.ts';
import { TerminalError } from './terminal-error.ts';

async function run(spec: Partial<ControllerSpec>, test: (world: World) => Promise<void>): Promise<void> {
  const api = new ScriptedApi<Node>();
  const clock = new VirtualClock(0);
  const informers = new Informers({ client: api as unknown as Client, clock, random: new SeededRandom(1) });
  const ends: Reconciled[] = [];
  const manager = new Manager({ clock, informers, onReconciled: (end) => ends.push(end) });
  manager.add({ name: 'test', watches: [watch(Nodes)], reconcile: async () => undefined, ...spec });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await clock.settle();
  await test({ api, clock, ends, stop });
  stop.abort();
  await running;
}

interface World {
  readonly api: ScriptedApi<Node>;
  readonly clock: VirtualClock;
  readonly ends: Reconciled[];
  readonly stop: AbortController;
}

describe('a controller', () => {
  it('reconciles the key of what changed', async () => {
    const keys: string[] = [];
    await run({ reconcile: async (key) => void keys.push(key) }, async ({ api, clock, ends }) => {
      api.put('a');
      api.put('b');
      await clock.settle();
      expect(keys).toEqual(['a', 'b']);
      expect(ends.map(({ controller, result }) => `${controller} ${result}`)).toEqual(['test success', 'test success']);
    });
  });

  it('maps changes to other keys, and starts with keys of its own', async () => {
    const keys: string[] = [];
    const spec = {
      watches: [watch(Nodes, ({ object }) => [`pool-of-${object.metadata.name}`])],
      initialKeys: ['all'],
      reconcile: async (key: string) => void keys.push(key),
    };
    await run(spec, async ({ api, clock }) => {
      api.put('a');
      await clock.settle();
      expect(keys).toEqual(['all', 'pool-of-a']);
    });
  });

  it('comes back after the time it asked for', async () => {
    const times: number[] = [];
    const clockBox: { clock?: VirtualClock } = {};
    const reconcile = async () => {
      times.push(clockBox.clock?.now() ?? -1);
      return { requeueAfter: 1000 };
    };
    await run({ reconcile }, async ({ api, clock }) => {
      clockBox.clock = clock;
      api.put('a');
      await clock.advance(2500);
      expect(times).toEqual([0, 1000, 2000]);
    });
  });

  it('backs off from errors, and reports them', async () => {
    let failures = 3;
    const reconcile = async (): Promise<void> => {
      if (failures-- > 0) throw new Error('not yet');
    };
    await run({ reconcile }, async ({ api, clock, ends }) => {
      api.put('a');
      await clock.advance(1000);
      expect(ends.map(({ result }) => result)).toEqual(['error', 'error', 'error', 'success']);
      expect(ends[0]?.error).toEqual(new Error('not yet'));
    });
  });

  it('does not come back to what fails for good, alone or among others, until it changes', async () => {
    const errors = [
      new TerminalError('never'),
      new AggregateError([new Error('not yet'), new TerminalError('never', new Error('why'))]),
    ];
    const reconcile = async (): Promise<void> => {
      throw errors.shift();
    };
    await run({ reconcile }, async ({ api, clock, ends }) => {
      for (const rounds of [1, 2]) {
        api.put('a');
        await clock.advance(1000);
        expect(ends.map(({ result }) => result)).toEqual(Array.from({ length: rounds }, () => 'error'));
      }
    });
  });

  it('works on as many keys at once as it has workers, never on one key twice at once', async () => {
    let active = 0;
    let most = 0;
    const busy = new Set<string>();
    const clockBox: { clock?: VirtualClock } = {};
    const reconcile = async (key: string): Promise<void> => {
      expect(busy.has(key)).toBe(false);
      busy.add(key);
      most = Math.max(most, ++active);
      await clockBox.clock?.sleep(10);
      busy.delete(key);
      active--;
    };
    await run({ reconcile, workers: 3 }, async ({ api, clock, ends }) => {
      clockBox.clock = clock;
      for (let round = 0; round < 2; round++) {
        for (const name of ['a', 'b', 'c', 'd', 'e']) api.put(name);
        await clock.advance(5);
      }
      await clock.advance(1000);
      expect(most).toBe(3);
      expect(ends.length).toBeGreaterThanOrEqual(8);
    });
  });

  it('lets the running reconciliation see the signal, and then ends', async () => {
    let sawAbort = false;
    const reconcile = (_: string, signal: AbortSignal): Promise<void> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          sawAbort = true;
          reject(signal.reason);
        });
      });
    await run({ reconcile }, async ({ api, clock }) => {
      api.put('a');
      await clock.settle();
    });
    expect(sawAbort).toBe(true);
  });
});
