import type { JsonObject } from '../kind.ts';

/** One change as it is written down: `object` is absent for a removal. */
export interface JournalEntry {
  readonly revision: number;
  readonly collection: string;
  readonly key: string;
  readonly object?: JsonObject;
}

export interface JournalContents {
  readonly revision: number;
  readonly objects: readonly { readonly collection: string; readonly key: string; readonly object: JsonObject }[];
}

/** Where the store's changes survive the process. */
export interface Journal {
  load(): JournalContents;
  /** Returns when the entries would survive a killed process; all of them or none. */
  write(entries: readonly JournalEntry[]): void;
  close(): void;
}
