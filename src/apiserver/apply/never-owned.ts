import { difference, type FieldSet, fieldSetOf } from './field-set.ts';

/** Fields that the API itself keeps, and that no manager owns (apimachinery managedfields stripmeta.go). */
const METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
];

const NEVER_OWNED = fieldSetOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...METADATA.map((name) => ['f:metadata', `f:${name}`]),
);

/** The set without the fields that nobody owns. */
export const ownable = (set: FieldSet): FieldSet => difference(set, NEVER_OWNED);
