import type { CustomResourceDefinition, PrinterColumn } from '../../apis/crds/definition.ts';
import type { Json } from '../kind.ts';
import { nameOf } from '../object-meta.ts';
import { ageOf } from './age.ts';
import { compileJsonPath } from './json-path.ts';
import type { Column, RowContext, TableView } from './table.ts';

const ageColumn: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** The columns that a definition's version asks for; Age where it asks for none. */
export function customView(definition: CustomResourceDefinition, version: string): TableView {
  const asked = definition.spec.versions.find(({ name }) => name === version)?.additionalPrinterColumns;
  const own = asked && asked.length > 0 ? asked : [ageColumn];
  const find = own.map(({ jsonPath }) => compileJsonPath(jsonPath));
  return {
    columns: [
      { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
      ...own.map(
        ({ name, type, format = '', description = '', jsonPath, priority = 0 }): Column => ({
          name,
          type: type as Column['type'],
          format,
          description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
          priority,
        }),
      ),
    ],
    row: (object, context) => [
      nameOf(object),
      ...own.map((column, index) => cell(column, find[index]?.(object) ?? [], context)),
    ],
  };
}

function cell({ type }: PrinterColumn, found: readonly Json[], { now }: RowContext): Json {
  const [first] = found;
  if (first === undefined) return null;
  switch (type) {
    case 'integer':
      return Number.isInteger(first) ? first : null;
    case 'number':
      return typeof first === 'number' ? first : null;
    case 'boolean':
      return typeof first === 'boolean' ? first : null;
    case 'date':
      return typeof first === 'string' ? (ageOf(first, now) === '<unknown>' ? '<invalid>' : ageOf(first, now)) : null;
    default:
      return shown(first);
  }
}

const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
