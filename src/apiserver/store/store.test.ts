import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../kind.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { Store } from './store.ts';
import { CompactedError, StoreFailedError } from './store-errors.ts';
import type { StoreEvent } from './watch-event.ts';

const object = (name: string, value = 0): JsonObject => ({ metadata: { name }, value });
const versions = (events: readonly StoreEvent[]) => events.map(({ type, key }) => `${type} ${key}`);

/** Keeps entries in memory, and fails when told to. */
class MemoryJournal implements Journal {
  readonly batches: (readonly JournalEntry[])[] = [];
  broken = false;
  load() {
    return { revision: 0, objects: [] };
  }
  write(entries: readonly JournalEntry[]): void {
    if (this.broken) throw new Error('disk full');
    this.batches.push(entries);
  }
  close(): void {}
}

describe('the store', () => {
  it('gives each change a revision of its own and puts it into the object', () => {
    const store = new Store();
    const first = store.put('pods', 'a/x', object('x'));
    const second = store.put('pods', 'a/x', object('x', 1));
    expect(Number((second.metadata as JsonObject).resourceVersion)).toBeGreaterThan(
      Number((first.metadata as JsonObject).resourceVersion),
    );
    expect(store.get('pods', 'a/x')).toBe(second);
  });

  it('hands out objects that nobody can change', () => {
    const stored = new Store().put('pods', 'a/x', object('x')) as { metadata: { name: string } };
    expect(() => {
      stored.metadata.name = 'y';
    }).toThrow(TypeError);
  });

  it('lists a namespace in the order of bytes, without its neighbours', () => {
    const store = new Store();
    for (const key of ['a/b', 'a/a.b', 'a/a-b', 'a/a', 'ab/a', 'a-b/a']) store.put('pods', key, object(key));
    expect(store.list('pods', 'a/').map(([key]) => key)).toEqual(['a/a', 'a/a-b', 'a/a.b', 'a/b']);
  });

  it('lists the past as it was', () => {
    const store = new Store();
    store.put('pods', 'a/kept', object('kept'));
    store.put('pods', 'a/changed', object('changed', 1));
    store.put('pods', 'a/removed', object('removed'));
    const then = store.revision;
    store.put('pods', 'a/changed', object('changed', 2));
    store.remove('pods', 'a/removed');
    store.put('pods', 'a/added', object('added'));
    const past = store.list('pods', 'a/', then);
    expect(past.map(([key, { value }]) => [key, value])).toEqual([
      ['a/changed', 1],
      ['a/kept', 0],
      ['a/removed', 0],
    ]);
  });

  it('lists the rest of a page, now or in the past', () => {
    const store = new Store();
    for (const key of ['a/1', 'a/2', 'a/3', 'b/1']) store.put('pods', key, object(key));
    const then = store.revision;
    store.remove('pods', 'a/3');
    store.put('pods', 'a/4', object('a/4'));
    expect(store.list('pods', 'a/', store.revision, 'a/1').map(([key]) => key)).toEqual(['a/2', 'a/4']);
    expect(store.list('pods', 'a/', then, 'a/1').map(([key]) => key)).toEqual(['a/2', 'a/3']);
    expect(store.list('pods', '', then, 'a/2').map(([key]) => key)).toEqual(['a/3', 'b/1']);
  });

  it('tells of changes since a revision, then of new ones, until it is told to stop', () => {
    const store = new Store();
    store.put('pods', 'a/x', object('x'));
    const then = store.revision;
    store.put('pods', 'a/y', object('y'));
    const seen: StoreEvent[] = [];
    const stop = store.subscribe('pods', then, (event) => seen.push(event));
    store.put('nodes', 'n', object('n'));
    store.put('pods', 'a/x', object('x', 1));
    store.remove('pods', 'a/y');
    stop();
    store.put('pods', 'a/z', object('z'));
    expect(versions(seen)).toEqual(['ADDED a/y', 'MODIFIED a/x', 'DELETED a/y']);
  });

  it('refuses to start from a past it has forgotten', () => {
    const store = new Store({ history: 3 });
    const then = store.revision;
    for (let index = 0; index < 4; index++) store.put('pods', `a/${index}`, object('x'));
    expect(() => store.subscribe('pods', then, () => undefined)).toThrow(CompactedError);
    expect(() => store.list('pods', '', then)).toThrow(CompactedError);
    expect(store.list('pods', '', then + 1)).toHaveLength(1);
  });

  it('writes changes of one turn down together, and tells watchers only then', async () => {
    const journal = new MemoryJournal();
    const store = new Store({ journal });
    const seen: StoreEvent[] = [];
    store.subscribe('pods', store.revision, (event) => seen.push(event));
    store.put('pods', 'a/x', object('x'));
    store.put('pods', 'a/y', object('y'));
    expect(seen).toEqual([]);
    await store.committed();
    expect(journal.batches.map((batch) => batch.map(({ key }) => key))).toEqual([['a/x', 'a/y']]);
    expect(versions(seen)).toEqual(['ADDED a/x', 'ADDED a/y']);
  });

  it('acknowledges nothing any more once a change could not be written down', async () => {
    const journal = new MemoryJournal();
    const store = new Store({ journal });
    journal.broken = true;
    store.put('pods', 'a/x', object('x'));
    await expect(store.committed()).rejects.toThrow(StoreFailedError);
    journal.broken = false;
    expect(() => store.put('pods', 'a/y', object('y'))).toThrow(StoreFailedError);
  });
});
