import { asString } from '../json.ts';
import { metaOf, nameOf } from '../object-meta.ts';
import type { TableView } from './table.ts';

/** Name and creation time, for kinds without columns of their own. */
export const defaultView: TableView = {
  columns: [
    { name: 'Name', type: 'string', format: 'name', description: 'Unique within its namespace', priority: 0 },
    { name: 'Created At', type: 'date', format: '', description: 'When the object was made', priority: 0 },
  ],
  row: (object) => [nameOf(object), asString(metaOf(object).creationTimestamp)],
};
