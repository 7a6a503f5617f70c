import type { Json, JsonObject } from './kind.ts';

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isJsonList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Whether an object has a key of its own, whatever the value; keys such as `constructor` are plain data. */
export const hasKey = (object: JsonObject, key: string): boolean => Object.hasOwn(object, key);
