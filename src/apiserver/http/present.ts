import { notAcceptable } from '../api-refusals.ts';
import type { JsonObject } from '../kind.ts';
import { resourceVersionOf } from '../object-meta.ts';
import type { ObjectTexts } from '../object-texts.ts';
import { internalPackage } from '../registry/decode-body.ts';
import type { ObjectList } from '../registry/list-objects.ts';
import { apiVersionOf, type ResourceDefinition } from '../registry/resource-definition.ts';
import { type IncludeObject, partialMetadata, type RowContext, type TableView, tableOf } from '../table/table.ts';
import { ListBody } from './list-body.ts';
import type { Negotiated } from './negotiate.ts';

export interface Presentation {
  readonly form: Negotiated['form'];
  readonly formVersion: Negotiated['formVersion'];
  /** Upstream's name of the Go type, which refusals show. */
  readonly typeName: string;
  readonly includeObject: IncludeObject;
  readonly view: () => TableView;
  readonly context: RowContext;
}

/** One object in the form the client asked for. Statuses stay as they are. Throws ApiError 406. */
export function presentObject(object: JsonObject, presentation: Presentation): JsonObject {
  const { form, includeObject, view, context, typeName } = presentation;
  if (form === 'object' || object.kind === 'Status') return object;
  if (form === 'PartialObjectMetadata') return inVersion(partialMetadata(object), presentation);
  if (form === 'PartialObjectMetadataList') {
    throw notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${typeName})`,
    );
  }
  const metadata = { resourceVersion: resourceVersionOf(object) };
  return inVersion(tableOf(view(), [object], metadata, includeObject, context), presentation);
}

/** A list in the form the client asked for. Items of built-in kinds go without kind and apiVersion. Throws ApiError 406. */
export function presentList(
  resource: ResourceDefinition,
  list: ObjectList,
  presentation: Presentation,
  texts: ObjectTexts,
): JsonObject | ListBody {
  const { form, includeObject, view, context, typeName } = presentation;
  const metadata: JsonObject = {
    resourceVersion: list.resourceVersion,
    ...(list.continue || resource.crd ? { continue: list.continue ?? '' } : {}),
    ...(list.remainingItemCount ? { remainingItemCount: list.remainingItemCount } : {}),
  };
  if (form === 'Table') return inVersion(tableOf(view(), list.items, metadata, includeObject, context), presentation);
  if (form === 'PartialObjectMetadata') {
    throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (*${typeName}List)`);
  }
  if (form === 'PartialObjectMetadataList') {
    const kind = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' };
    return inVersion({ ...kind, metadata, items: list.items.map(partialMetadata) }, presentation);
  }
  const head = { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata };
  return new ListBody(head, list.items, texts, resource.crd !== undefined);
}

const inVersion = (object: JsonObject, { formVersion }: Presentation): JsonObject =>
  formVersion === 'v1' ? object : { ...object, apiVersion: `meta.k8s.io/${formVersion}` };

/** Upstream's name of a resource's Go type. */
export const typeNameOf = (resource: ResourceDefinition): string =>
  resource.crd ? 'unstructured.Unstructured' : `${internalPackage(resource)}.${resource.kind}`;
