import { compareQuantities } from '../../kube/quantity.ts';
import { asArray, asObject, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import type { ObjectReader } from '../registry/admission-chain.ts';
import { quantityOf } from '../validation/resource-names.ts';
import type { Refuse } from './refuse.ts';

/** What admission does to claims and volumes. */

const DEFAULT = 'storageclass.kubernetes.io/is-default-class';
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';
const CLASSES = 'storage.k8s.io/storageclasses';

const annotation = (object: JsonObject, name: string): string =>
  asString(asObject(asObject(object.metadata).annotations)[name]);

const text = (object: JsonObject, name: string): string => asString(asObject(object.metadata)[name]);

/** The newest default class; of classes made at once, the first by name. */
const newestFirst = (one: JsonObject, other: JsonObject): number => {
  const [a, b] = [text(one, 'creationTimestamp'), text(other, 'creationTimestamp')];
  if (a !== b) return a < b ? 1 : -1;
  return text(one, 'name') < text(other, 'name') ? -1 : 1;
};

export const withDefaultClass = (claim: JsonObject, objects: ObjectReader): JsonObject => {
  const spec = asObject(claim.spec);
  if (spec.storageClassName !== undefined || annotation(claim, OLD_CLASS) !== '') return claim;
  const [found] = objects
    .list(CLASSES)
    .filter((one) => annotation(one, DEFAULT) === 'true')
    .sort(newestFirst);
  return found === undefined ? claim : { ...claim, spec: { ...spec, storageClassName: text(found, 'name') } };
};

export const withFinalizer = (object: JsonObject, finalizer: string): JsonObject => {
  const metadata = asObject(object.metadata);
  const finalizers = asArray(metadata.finalizers);
  if (finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...metadata, finalizers: [...finalizers, finalizer] } };
};

const sizeOf = (claim: JsonObject) => quantityOf(asObject(asObject(asObject(claim.spec).resources).requests).storage);

/** Claims grow only where their class lets them. */
export const checkExpansion = (claim: JsonObject, old: JsonObject, objects: ObjectReader, refuse: Refuse): void => {
  if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
  if (asString(asObject(old.status).phase) !== 'Bound') {
    throw refuse('Only bound persistent volume claims can be expanded');
  }
  const name = asString(asObject(claim.spec).storageClassName) || annotation(claim, OLD_CLASS);
  if (name !== '' && objects.get(CLASSES, '', name)?.allowVolumeExpansion === true) return;
  throw refuse(
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  );
};
