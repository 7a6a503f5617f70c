/**
 * Amounts of resources inside the packer: resource name → thousandths of the unit (cpu in millicores, memory in
 * milli-bytes, counts in thousandths), as doubles. Every real amount up to nine petabytes of memory is exact. Built from quantities
 * with `parseQuantityMilli` of src/kube/quantity.ts; a missing key is zero.
 */
export type Resources = Readonly<Record<string, number>>;
