import { nameList } from '../name-list.ts';

const SHOWN_TYPES = 5;

/** Names of instance types for a log line: five of them, and how many more there are. */
export const listedTypes = (types: readonly string[]): string => nameList(types, SHOWN_TYPES);
