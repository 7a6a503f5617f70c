import { FieldTypeError, type Json } from '../kind.ts';
import type { Field, StructType } from './go-type.ts';

/** Kubernetes' decoder stops noting strict errors here. */
const MOST_STRICT_ERRORS = 100;

/** Where a decoder is, and what it found on the way; errors are worded as by sigs.k8s.io/json. */
export class DecodeContext {
  readonly unknown: string[] = [];
  /** The first value that didn't fit; decoding goes on after it, as Go's does. */
  mismatch: string | undefined;
  /** `spec`, `.containers`, `[0]`: joined, the path as strict errors show it. */
  readonly #path: string[] = [];
  /** Field names alone, with inlined structs, as type errors show them. */
  readonly #fields: string[] = [];
  readonly #structs: StructType[] = [];

  enterField(struct: StructType, field: Field): void {
    this.enterKey(field.name);
    for (const name of field.inlined) this.#fields.push(name);
    this.#fields.push(field.name);
    this.#structs.push(struct);
  }

  leaveField(field: Field): void {
    this.#path.pop();
    this.#fields.length -= field.inlined.length + 1;
    this.#structs.pop();
  }

  enterKey(key: string): void {
    this.#path.push(this.#path.length === 0 ? key : `.${key}`);
  }

  enterItem(index: number): void {
    this.#path.push(`[${index}]`);
  }

  leaveItem(): void {
    this.#path.pop();
  }

  foundUnknown(key: string): void {
    if (this.unknown.length >= MOST_STRICT_ERRORS) return;
    const path = this.#path.length === 0 ? key : `${this.#path.join('')}.${key}`;
    this.unknown.push(`unknown field ${JSON.stringify(path)}`);
  }

  wrong(message: string): undefined {
    this.mismatch ??= message;
  }

  wrongType(value: Json, goType: string): undefined {
    this.wrong(this.#describe(kindOf(value), goType));
  }

  wrongNumber(value: number, goType: string): undefined {
    this.wrong(this.#describe(`number ${value}`, goType));
  }

  /** What a type's own unmarshaller throws for a value of the wrong type; `shown` adds the number itself. */
  refusal(value: Json, goType: string, shown = false): FieldTypeError {
    return new FieldTypeError(this.#describe(shown ? `number ${String(value)}` : kindOf(value), goType));
  }

  #describe(found: string, goType: string): string {
    const struct = this.#structs.at(-1);
    if (struct === undefined) return `json: cannot unmarshal ${found} into Go value of type ${goType}`;
    return `json: cannot unmarshal ${found} into Go struct field ${struct.name}.${this.#fields.join('.')} of type ${goType}`;
  }
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
