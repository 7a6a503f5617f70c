import type { DatabaseSync } from 'node:sqlite';
import type { JsonObject } from '../kind.ts';
import { ObjectTexts } from '../object-texts.ts';
import type { Journal, JournalContents, JournalEntry } from './journal.ts';
import { StateFileError } from './store-errors.ts';

const format = 1;

/**
 * Opens (or makes) the state file. Write-ahead log without waiting for the disk: what was committed survives a killed
 * process, and a power cut leaves an older but whole state. Throws StateFileError for a file that isn't ours.
 */
export async function openSqliteJournal(path: string, texts = new ObjectTexts()): Promise<SqliteJournal> {
  const { DatabaseSync } = await import('node:sqlite');
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    prepare(database);
    return new SqliteJournal(path, database, texts);
  } catch (error) {
    database?.close();
    if (error instanceof StateFileError) throw error;
    throw new StateFileError(path, describe(error), { cause: error });
  }

  function prepare(opened: DatabaseSync): void {
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;');
    opened.exec(`
      CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS objects (
        collection TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (collection, key)
      ) STRICT, WITHOUT ROWID;
    `);
    const found = opened.prepare("SELECT value FROM state WHERE name = 'format'").get() as
      | { value: number }
      | undefined;
    if (found && found.value !== format)
      throw new StateFileError(path, `written in format ${found.value}, not ${format}`);
    opened.prepare("INSERT OR IGNORE INTO state VALUES ('format', ?)").run(format);
  }
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /not a database|malformed|corrupt/.test(message) ? `not a state file, or damaged (${message})` : message;
}

/** One row per live object; made by `openSqliteJournal`. */
export class SqliteJournal implements Journal {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #texts: ObjectTexts;
  readonly #put;
  readonly #remove;
  readonly #revision;

  constructor(path: string, database: DatabaseSync, texts: ObjectTexts) {
    this.#path = path;
    this.#texts = texts;
    this.#database = database;
    this.#put = database.prepare('INSERT OR REPLACE INTO objects VALUES (?, ?, ?)');
    this.#remove = database.prepare('DELETE FROM objects WHERE collection = ? AND key = ?');
    this.#revision = database.prepare("INSERT OR REPLACE INTO state VALUES ('revision', ?)");
  }

  load(): JournalContents {
    try {
      const revision = this.#database.prepare("SELECT value FROM state WHERE name = 'revision'").get();
      const objects: JournalContents['objects'][number][] = [];
      for (const row of this.#database.prepare('SELECT collection, key, value FROM objects').iterate()) {
        const value = String(row.value);
        const object = JSON.parse(value) as JsonObject;
        this.#texts.remember(object, value);
        objects.push({ collection: String(row.collection), key: String(row.key), object });
      }
      return { revision: Number(revision?.value ?? 0), objects };
    } catch (error) {
      throw new StateFileError(this.#path, describe(error), { cause: error });
    }
  }

  write(entries: readonly JournalEntry[]): void {
    const latest = new Map(entries.map((entry) => [`${entry.collection}\n${entry.key}`, entry]));
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { collection, key, object } of latest.values()) {
        if (object) this.#put.run(collection, key, this.#texts.of(object));
        else this.#remove.run(collection, key);
      }
      this.#revision.run(entries.at(-1)?.revision ?? 0);
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }
}
