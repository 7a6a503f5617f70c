import { notAcceptable } from '../api-refusals.ts';
import type { JsonObject } from '../kind.ts';
import { resourceVersionOf } from '../object-meta.ts';
import type { ObjectList } from '../registry/list-objects.ts';
import { apiVersionOf, type ResourceDefinition } from '../registry/resource-definition.ts';
import { type IncludeObject, partialMetadata, type RowContext, type TableView, tableOf } from '../table/table.ts';
import type { Negotiated } from './negotiate.ts';

export interface Presentation {
  readonly form: Negotiated['form'];
  readonly includeObject: IncludeObject;
  readonly view: () => TableView;
  readonly context: RowContext;
}

/** One object in the form the client asked for. Statuses stay as they are. Throws ApiError 406. */
export function presentObject(object: JsonObject, { form, includeObject, view, context }: Presentation): JsonObject {
  if (form === 'object' || object.kind === 'Status') return object;
  if (form === 'PartialObjectMetadata') return partialMetadata(object);
  if (form === 'PartialObjectMetadataList') {
    throw notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list`);
  }
  return tableOf(view(), [object], { resourceVersion: resourceVersionOf(object) }, includeObject, context);
}

/** A list in the form the client asked for. Items of built-in kinds go without kind and apiVersion. Throws ApiError 406. */
export function presentList(
  resource: ResourceDefinition,
  list: ObjectList,
  { form, includeObject, view, context }: Presentation,
): JsonObject {
  const metadata: JsonObject = {
    resourceVersion: list.resourceVersion,
    ...(list.continue ? { continue: list.continue } : {}),
    ...(list.remainingItemCount ? { remainingItemCount: list.remainingItemCount } : {}),
  };
  if (form === 'Table') return tableOf(view(), list.items, metadata, includeObject, context);
  if (form === 'PartialObjectMetadata') {
    throw notAcceptable(
      `you requested PartialObjectMetadata, but the requested object is a list (*${internalName(resource)})`,
    );
  }
  if (form === 'PartialObjectMetadataList') {
    const kind = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' };
    return { ...kind, metadata, items: list.items.map(partialMetadata) };
  }
  const items = resource.crd ? list.items : list.items.map(withoutType);
  return { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata, items };
}

const withoutType = ({ kind: _kind, apiVersion: _version, ...rest }: JsonObject): JsonObject => rest;

const internalName = ({ group, listKind, crd }: ResourceDefinition): string =>
  crd ? 'unstructured.UnstructuredList' : `${group === '' ? 'core' : group.split('.')[0]}.${listKind}`;
