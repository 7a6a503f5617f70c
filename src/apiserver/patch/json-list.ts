import type { Json } from '../kind.ts';

/** Array.isArray does not narrow readonly lists. */
export const isJsonList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
