import { FieldTypeError, type Json } from '../kind.ts';
import type { Field } from './go-type.ts';

/** Kubernetes' decoder stops noting strict errors here. */
const MOST_STRICT_ERRORS = 100;

/** Where a decoder is, and what it found on the way; errors are worded as by sigs.k8s.io/json. */
export class DecodeContext {
  readonly unknown: string[] = [];
  /** The first value that didn't fit; decoding goes on after it, as Go's does. */
  mismatch: string | undefined;
  /** The way to the value: a field, a key of a map or an index. Only errors turn it into text. */
  readonly #way: (Field | string | number)[] = [];

  enter(step: Field | string | number): void {
    this.#way.push(step);
  }

  leave(): void {
    this.#way.pop();
  }

  foundUnknown(key: string): void {
    if (this.unknown.length >= MOST_STRICT_ERRORS) return;
    this.unknown.push(`unknown field ${JSON.stringify(pathTo([...this.#way, key]))}`);
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
    const fields = this.#way.filter((step): step is Field => typeof step === 'object');
    const last = fields.at(-1);
    if (last === undefined) return `json: cannot unmarshal ${found} into Go value of type ${goType}`;
    const path = fields.flatMap(({ inlined, name }) => [...inlined, name]).join('.');
    return `json: cannot unmarshal ${found} into Go struct field ${last.owner}.${path} of type ${goType}`;
  }
}

/** `spec.containers[0].name`, as strict errors show it. */
function pathTo(way: readonly (Field | string | number)[]): string {
  let path = '';
  for (const step of way) {
    if (typeof step === 'number') path += `[${step}]`;
    else path += `${path === '' ? '' : '.'}${typeof step === 'string' ? step : step.name}`;
  }
  return path;
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
