import type { JsonObject } from '../kind.ts';
import { nameOf } from '../object-meta.ts';
import type { AdmissionRequest, ObjectReader, Operation } from '../registry/admission-chain.ts';
import type { WriteRequest } from '../registry/request.ts';
import { type GroupVersionKind, hasSubresource, type ResourceDefinition } from '../registry/resource-definition.ts';
import { fromStorage, toStorage } from '../registry/version-conversion.ts';

/** A request as policies and webhooks see it (apiserver's admission.Attributes). */
export interface AdmissionAttributes {
  readonly operation: Operation;
  readonly resource: ResourceDefinition;
  readonly subresource: string;
  /** What `object` is. */
  readonly kind: GroupVersionKind;
  /** Empty for an object whose name the server makes. */
  readonly name: string;
  /** A namespace is in itself. */
  readonly namespace: string;
  readonly request: WriteRequest;
  /** Absent in a deletion. */
  readonly object?: JsonObject;
  readonly old?: JsonObject;
  readonly objects: ObjectReader;
}

const kindOf = ({ group, version, kind }: GroupVersionKind): GroupVersionKind => ({ group, version, kind });

export const attributesOf = ({
  operation,
  request,
  object,
  old,
  objects,
  kind,
}: AdmissionRequest): AdmissionAttributes => {
  const { resource, subresource } = request;
  const name = request.name || nameOf(object);
  return {
    operation,
    resource,
    subresource,
    kind: kindOf(kind ?? resource),
    name,
    namespace: resource.collection === 'namespaces' ? name : request.namespace,
    request,
    ...(operation === 'DELETE' ? {} : { object }),
    ...(old === undefined ? {} : { old }),
    objects,
  };
};

/** An object of the request in the version of `target`, an equivalent of the request's resource. */
export const inVersionOf = (
  { resource, subresource, kind }: AdmissionAttributes,
  target: ResourceDefinition,
  object: JsonObject,
): JsonObject =>
  target === resource || (subresource !== '' && kind.kind !== resource.kind)
    ? object
    : fromStorage(target, toStorage(resource, object));

/** An object in the version that a rule matched, in the version of the request. */
export const inOwnVersion = (
  { resource }: AdmissionAttributes,
  matched: ResourceDefinition,
  object: JsonObject,
): JsonObject => (matched === resource ? object : fromStorage(resource, toStorage(matched, object)));

/** What the version that a rule matched is called: its resource and the kind of what is written to it. */
export const kindIn = ({ resource, kind }: AdmissionAttributes, target: ResourceDefinition): GroupVersionKind =>
  target === resource || kind.kind !== resource.kind ? kind : kindOf(target);

/** Whether a version of a resource serves the request's subresource too. */
export const serves = (resource: ResourceDefinition, subresource: string): boolean =>
  subresource === '' || hasSubresource(resource, subresource);
