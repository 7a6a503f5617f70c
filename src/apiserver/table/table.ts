import type { Json, JsonObject } from '../kind.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, more only with `-o wide`. */
  readonly priority: number;
}

export interface RowContext {
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
}

/** How one kind's objects look in a table. */
export interface TableView {
  readonly columns: readonly Column[];
  readonly row: (object: JsonObject, context: RowContext) => readonly Json[];
}

/** Finds the view of a resource. */
export type TableViews = (resource: ResourceDefinition) => TableView;

export type IncludeObject = 'None' | 'Metadata' | 'Object';

const metaTable = { kind: 'Table', apiVersion: 'meta.k8s.io/v1' };

/** An object's metadata alone, as clients that need no more ask for it. */
export const partialMetadata = (object: JsonObject): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: object.metadata,
});

/** A meta.k8s.io/v1 Table of objects. */
export function tableOf(
  view: TableView,
  objects: readonly JsonObject[],
  metadata: JsonObject,
  include: IncludeObject,
  context: RowContext,
): JsonObject {
  return {
    ...metaTable,
    metadata,
    columnDefinitions: view.columns as unknown as Json,
    rows: objects.map((object) => ({
      cells: view.row(object, context),
      ...(include === 'None' ? { object: null } : { object: include === 'Object' ? object : partialMetadata(object) }),
    })),
  };
}
