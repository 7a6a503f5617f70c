import type { JsonObject } from '../kind.ts';
import type { ObjectTexts } from '../object-texts.ts';

/** Characters in one piece: large enough to be worth a write, small enough not to hold others up. */
const pieceLength = 256 * 1024;

/** A list that is written piece by piece, each item's JSON from memory. */
export class ListBody {
  /** The list without its items. */
  readonly head: JsonObject;
  readonly items: readonly JsonObject[];
  readonly #texts: ObjectTexts;
  /** What each item's JSON starts with and goes without; empty where items keep their type. */
  readonly #type: string;

  /** `list` is the list without its items. Items go without kind and apiVersion where `typed` is false. */
  constructor(list: JsonObject, items: readonly JsonObject[], texts: ObjectTexts, typed: boolean) {
    this.head = list;
    this.items = items;
    this.#texts = texts;
    const { kind, apiVersion } = items[0] ?? {};
    this.#type = typed ? '' : JSON.stringify({ kind, apiVersion }).replace(/\}$/, ',');
  }

  /** The whole list, for encodings that need it. */
  toJSON(): JsonObject {
    return { ...this.head, items: this.#type === '' ? this.items : this.items.map(withoutType) };
  }

  *pieces(): Generator<string> {
    let piece = `${JSON.stringify(this.head).slice(0, -1)},"items":[`;
    let separator = '';
    for (const item of this.items) {
      piece += separator + this.#itemText(item);
      separator = ',';
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
    yield `${piece}]}\n`;
  }

  #itemText(item: JsonObject): string {
    const text = this.#texts.of(item);
    if (this.#type === '') return text;
    return text.startsWith(this.#type) ? `{${text.slice(this.#type.length)}` : JSON.stringify(withoutType(item));
  }
}

const withoutType = ({ kind: _kind, apiVersion: _version, ...rest }: JsonObject): JsonObject => rest;
