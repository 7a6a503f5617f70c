/**
 * Kubernetes objects as plain JSON, with the fields this project reads. Times are RFC 3339 strings and quantities are
 * strings, exactly as they travel; an unknown field is kept because nothing here ever rebuilds an object.
 */
export type * from './objects/amounts.ts';
export type * from './objects/cluster.ts';
export type * from './objects/metadata.ts';
export type * from './objects/placement.ts';
export type * from './objects/pod.ts';
export type * from './objects/storage.ts';
export type * from './objects/workloads.ts';
