import { asObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';

/** A function that completes an object, or a part of one, and leaves what it was given as it is. */
export type Completion = (object: JsonObject) => JsonObject;

/** The object with the fields it lacks; null counts as lacking. Returns the same object if it lacks none. */
export const fill = (object: JsonObject, defaults: JsonObject): JsonObject => {
  const missing = Object.entries(defaults).filter(([name]) => object[name] === undefined || object[name] === null);
  return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) };
};

/** The object with a field replaced by what `complete` makes of it; a missing one counts as empty. */
export const within = (object: JsonObject, name: string, complete: Completion): JsonObject => {
  const before = asObject(object[name]);
  const after = complete(before);
  return after === before && object[name] !== undefined ? object : { ...object, [name]: after };
};

/** Like `within`, but leaves a missing field missing. */
export const withinPresent = (object: JsonObject, name: string, complete: Completion): JsonObject =>
  object[name] === undefined || object[name] === null ? object : within(object, name, complete);

/** The object with each item of a list completed; a missing list stays missing. */
export const each = (object: JsonObject, name: string, complete: Completion): JsonObject => {
  const list = object[name];
  if (!Array.isArray(list)) return object;
  return { ...object, [name]: (list as readonly Json[]).map((item) => complete(asObject(item))) };
};

/** Several completions one after the other. */
export const chain =
  (...completions: readonly Completion[]): Completion =>
  (object) =>
    completions.reduce((done, complete) => complete(done), object);
