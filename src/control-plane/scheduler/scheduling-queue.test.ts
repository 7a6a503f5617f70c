import { describe, expect, it } from 'vitest';
import { pod } from '../../../test/factories/index.ts';
import type { Pod } from '../../kube/objects.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import type { PluginName } from './filter.ts';
import { LabelShapes } from './label-shapes.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

const key = (name: string): string => `default/${name}`;
const plugins = (...names: PluginName[]): ReadonlySet<PluginName> => new Set(names);
const named = (name: string, more: object = {}): Pod => pod({ metadata: { name, uid: `uid-${name}` }, spec: more });

function setUp() {
  const clock = new VirtualClock(0);
  let ready = 0;
  const queue = new SchedulingQueue({ clock, shapes: new LabelShapes(), onReady: () => ready++ });
  const pop = (): string | undefined => queue.pop()?.info.pod.metadata.name;
  return { clock, queue, pop, ready: () => ready };
}

describe('the scheduling queue', () => {
  it('gives out pods by priority, then by arrival', () => {
    const { queue, pop } = setUp();
    for (const each of [named('a'), named('b'), named('c', { priority: 5 }), named('d', { priority: -1 })])
      queue.put(each);
    expect([pop(), pop(), pop(), pop(), pop()]).toEqual(['c', 'a', 'b', 'd', undefined]);
  });

  it('keeps a refused pod until something happens that could help it', () => {
    const { queue, pop } = setUp();
    queue.put(named('a'));
    pop();
    queue.unschedulable(key('a'), plugins('NodeAffinity'), 'no');
    for (const change of ['pod-removed', 'domains', 'namespace'] as const) queue.changed(change);
    expect(pop()).toBeUndefined();
    queue.nodeChanged(() => 'NodeAffinity');
    expect(pop()).toBeUndefined();
    queue.nodeChanged(() => undefined);
    expect(pop()).toBe('a');
  });

  it('waits from then on for what kept it off a node that changed', () => {
    const { queue, pop } = setUp();
    queue.put(named('a'));
    pop();
    queue.unschedulable(key('a'), plugins('TaintToleration'), 'no');
    queue.nodeChanged(() => 'NodeResourcesFit');
    queue.changed('pod-removed');
    expect(pop()).toBe('a');
  });

  it('lets pods that are not backing off go first', () => {
    const { queue, pop } = setUp();
    queue.put(named('failed', { priority: 100 }));
    pop();
    queue.unschedulable(key('failed'), plugins('NodeResourcesFit'), 'no');
    queue.changed('pod-removed');
    queue.put(named('fresh'));
    expect([pop(), pop()]).toEqual(['fresh', 'failed']);
  });

  it('keeps the pause after an error, longer each time', async () => {
    const { clock, queue, pop } = setUp();
    queue.put(named('a'));
    for (const wait of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
      expect(pop()).toBe('a');
      queue.failed(key('a'));
      await clock.advance(wait - 1);
      expect(pop()).toBeUndefined();
      await clock.advance(1);
    }
  });

  it('tries everybody again after five minutes, in case a hint was missed', async () => {
    const { clock, queue, pop } = setUp();
    queue.put(named('a'));
    pop();
    queue.unschedulable(key('a'), plugins('NodeName'), 'no');
    await clock.advance(299_000);
    expect(pop()).toBeUndefined();
    await clock.advance(1000);
    expect(pop()).toBe('a');
  });

  it('takes up a change of the pod itself, but not of its status', () => {
    const { queue, pop } = setUp();
    queue.put(named('a'));
    pop();
    queue.unschedulable(key('a'), plugins('TaintToleration'), 'no');
    queue.put({ ...named('a'), status: { phase: 'Pending', reason: 'told' } });
    expect(pop()).toBeUndefined();
    queue.put(named('a', { tolerations: [{ operator: 'Exists' }] }));
    expect(pop()).toBe('a');
  });

  it('starts afresh with another pod of the same name, and forgets a deleted one', () => {
    const { queue, pop } = setUp();
    queue.put(named('a'));
    pop();
    queue.unschedulable(key('a'), plugins('NodeName'), 'no');
    queue.put(pod({ metadata: { name: 'a', uid: 'another' } }));
    expect(queue.get(key('a'))?.attempts).toBe(0);
    queue.delete(key('a'));
    expect(pop()).toBeUndefined();
  });

  it('says whether an account is news', async () => {
    const { clock, queue } = setUp();
    queue.put(named('a'));
    const tell = (message: string): boolean => queue.unschedulable(key('a'), plugins('NodeName'), message);
    expect([tell('0/1 nodes: 1 full'), tell('0/2 nodes: 2 full'), tell('0/2 nodes: 1 full, 1 tainted')]).toEqual([
      true,
      false,
      true,
    ]);
    await clock.advance(10_000);
    expect(tell('0/3 nodes: 1 full, 2 tainted')).toBe(true);
  });
});
