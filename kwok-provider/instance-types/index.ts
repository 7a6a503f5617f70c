export { genericInstanceTypes } from './generic-instance-types.ts';
export type { InstanceTypeOptions, OfferingOptions } from './instance-type-options.ts';
export { InstanceTypesError, parseInstanceTypes } from './parse-instance-types.ts';
export { toInstanceType } from './to-instance-type.ts';
export { wellKnownLabelsOf } from './well-known-labels.ts';
