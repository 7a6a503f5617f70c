import { asObject, asString, isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { behindPointers, type Field, type GoType, type SpecialType, type StructType } from '../types/index.ts';
import { type Layout, layoutOf } from './message-layout.ts';
import { ReverseWriter } from './reverse-writer.ts';

/** One number of a message: a field, or the fields of a struct that Go inlines. */
interface Step {
  readonly number: number;
  readonly field?: Field;
  readonly inlined: readonly Step[];
}

/** Encodes JSON of built-in structs as their messages, fields in the order of their numbers as Go has them. */
export class MessageEncoder {
  readonly #steps = new Map<StructType, readonly Step[]>();

  readonly #writer = new ReverseWriter();

  encode(object: JsonObject, struct: StructType): Uint8Array {
    this.#fields(object, this.#stepsOf(struct));
    return this.#writer.take();
  }

  #stepsOf(struct: StructType): readonly Step[] {
    let found = this.#steps.get(struct);
    if (found === undefined) {
      found = backwards(layoutOf(struct));
      this.#steps.set(struct, found);
    }
    return found;
  }

  #fields(object: JsonObject, steps: readonly Step[]): void {
    for (const { number, field, inlined } of steps) {
      if (field === undefined) {
        const mark = this.#writer.mark;
        this.#fields(object, inlined);
        if (this.#writer.mark > mark) this.#writer.close(number, mark);
        continue;
      }
      const value = object[field.name];
      if (value !== undefined && value !== null) this.#field(number, behindPointers(field.type), value);
    }
  }

  #field(number: number, type: ReturnType<typeof behindPointers>, value: Json): void {
    if (type.kind === 'list') this.#items(number, type.element, value);
    else if (type.kind === 'map') {
      const entries = Object.entries(asObject(value)).sort(([a], [b]) => (a < b ? 1 : -1));
      for (const [key, item] of entries) {
        const mark = this.#writer.mark;
        if (item !== undefined && item !== null) this.#value(2, type.value, item);
        this.#writer.text(1, key);
        this.#writer.close(number, mark);
      }
    } else this.#value(number, type, value);
  }

  #items(number: number, element: GoType, value: Json): void {
    if (!Array.isArray(value)) return;
    const items = value as readonly Json[];
    for (let at = items.length - 1; at >= 0; at--) this.#value(number, element, items[at] ?? null);
  }

  #value(number: number, goType: GoType, value: Json): void {
    const type = behindPointers(goType);
    if (type.kind === 'scalar') {
      this.#scalar(number, type.base, value);
      return;
    }
    const mark = this.#writer.mark;
    if (type.kind === 'special') this.#special(type, value);
    else if (type.kind === 'struct') this.#fields(asObject(value), this.#stepsOf(type));
    // A list inside a map is a message with the items as field 1.
    else if (type.kind === 'list') this.#items(1, type.element, value);
    this.#writer.close(number, mark);
  }

  #scalar(number: number, base: string, value: Json): void {
    const writer = this.#writer;
    if (base === 'string') writer.text(number, asString(value));
    else if (base === 'bytes') writer.bytes(number, Buffer.from(asString(value), 'base64'));
    else if (base === 'bool') writer.integer(number, value === true ? 1 : 0);
    else if (base === 'float64') writer.double(number, Number(value));
    else writer.integer(number, Number(value));
  }

  #special(type: SpecialType, value: Json): void {
    const writer = this.#writer;
    switch (type.name) {
      case 'time':
      case 'microtime':
        if (typeof value === 'string') this.#time(value);
        break;
      case 'quantity':
        writer.text(1, String(value));
        break;
      case 'intstr':
        writer.text(3, asString(value));
        writer.integer(2, typeof value === 'number' ? value : 0);
        writer.integer(1, typeof value === 'number' ? 0 : 1);
        break;
      case 'schemaOrBool':
        if (isObject(value)) this.#schema(2, type, value);
        writer.integer(1, value === false ? 0 : 1);
        break;
      case 'schemaOrArray':
      case 'schemaOrStrings':
        if (Array.isArray(value)) {
          for (const item of (value as readonly Json[]).toReversed()) {
            if (typeof item === 'string') writer.text(2, item);
            else this.#schema(2, type, item);
          }
        } else this.#schema(1, type, value);
        break;
      default:
        writer.text(1, JSON.stringify(value));
    }
  }

  #schema(number: number, { element }: SpecialType, value: Json): void {
    const mark = this.#writer.mark;
    if (element?.kind === 'struct') this.#fields(asObject(value), this.#stepsOf(element));
    this.#writer.close(number, mark);
  }

  #time(text: string): void {
    const [, whole = text, fraction = ''] = /^([^.Z]*)(?:\.(\d+))?/.exec(text) ?? [];
    this.#writer.integer(2, Number(fraction.padEnd(9, '0').slice(0, 9)));
    this.#writer.integer(1, Math.floor(Date.parse(`${whole}Z`) / 1000));
  }
}

/** Last number first, as the writer wants them. */
const backwards = (layout: Layout): readonly Step[] =>
  [...layout]
    .sort(([a], [b]) => b - a)
    .map(([number, part]) =>
      part instanceof Map
        ? { number, inlined: backwards(part as Layout) }
        : { number, field: part as Field, inlined: [] },
    );
