import { asNumber, asObject } from '../json.ts';
import { nameOf } from '../object-meta.ts';
import { age } from './cells.ts';
import { columns } from './columns.ts';
import type { TableView } from './table.ts';

/** autoscaling/v1 Scale. */
export const scaleView: TableView = {
  columns: columns('Name', 'Desired:integer', 'Available:integer', 'Age'),
  row: (scale, context) => [
    nameOf(scale),
    asNumber(asObject(scale.spec).replicas),
    asNumber(asObject(scale.status).replicas),
    age(scale, context),
  ],
};
