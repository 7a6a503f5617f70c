import type { Json, JsonObject } from '../kind.ts';

/** Reading decoded objects: an absent value or one of another type reads as empty, which decoding has ruled out before. */

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const EMPTY: JsonObject = {};

export const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : EMPTY);

export const asList = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

/** A list of objects, such as containers. */
export const asObjects = (value: Json | undefined): readonly JsonObject[] => asList(value).map(asObject);

export const asText = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

export const asNumber = (value: Json | undefined): number => (typeof value === 'number' ? value : 0);
