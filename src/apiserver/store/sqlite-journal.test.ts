import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteJournal } from './sqlite-journal.ts';
import { Store } from './store.ts';
import { StateFileError } from './store-errors.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'state-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = async (path: string): Promise<Store> => new Store({ journal: await openSqliteJournal(path) });
const object = (name: string) => ({ metadata: { name } });

describe('a state file', () => {
  it('gives back what was stored, and never a revision twice', async () => {
    const path = join(folder, 'state.db');
    const before = await open(path);
    before.put('pods', 'a/x', object('x'));
    const kept = before.put('pods', 'a/y', object('y'));
    before.remove('pods', 'a/x');
    await before.close();
    const after = await open(path);
    expect(after.list('pods')).toEqual([['a/y', kept]]);
    expect(after.revision).toBeGreaterThan(before.revision);
    await after.close();
  });

  it('refuses a file that is something else', async () => {
    const path = join(folder, 'state.db');
    writeFileSync(path, 'not a database, but long enough to look at as one'.repeat(100));
    await expect(openSqliteJournal(path)).rejects.toThrow(StateFileError);
  });

  it('says which folder is missing', async () => {
    await expect(openSqliteJournal(join(folder, 'no', 'state.db'))).rejects.toThrow(StateFileError);
  });

  it('has everything that was acknowledged before the process was killed', async () => {
    const path = join(folder, 'state.db');
    const script = join(folder, 'writer.ts');
    writeFileSync(script, writer(path));
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const acknowledged: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      acknowledged.push(line);
      if (acknowledged.length === 200) child.kill('SIGKILL');
    }
    const store = await open(path);
    const stored = new Set(store.list('pods').map(([key]) => key));
    expect(acknowledged.length).toBeGreaterThanOrEqual(200);
    expect(acknowledged.filter((key) => !stored.has(key))).toEqual([]);
    await store.close();
  });
});

/** A program that stores pods as fast as it can, and prints the key of each that is acknowledged. */
const writer = (path: string): string => `
  import { writeSync } from 'node:fs';
  import { openSqliteJournal } from ${JSON.stringify(join(import.meta.dirname, 'sqlite-journal.ts'))};
  import { Store } from ${JSON.stringify(join(import.meta.dirname, 'store.ts'))};
  const store = new Store({ journal: await openSqliteJournal(${JSON.stringify(path)}) });
  for (let index = 0; ; index++) {
    const key = 'a/' + index;
    store.put('pods', key, { metadata: { name: String(index) } });
    await store.committed();
    writeSync(1, key + '\\n');
  }
`;
