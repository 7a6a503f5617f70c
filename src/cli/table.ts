import { stripVTControlCharacters } from 'node:util';

/** A column of kubectl's plain tables. */
export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Only with `-o wide`. */
  readonly wide?: boolean;
}

export interface TableOptions {
  readonly wide?: boolean;
  readonly noHeaders?: boolean;
  /** Characters a line; columns that don't fit are dropped from the right, the first always stays. */
  readonly width?: number;
  readonly indent?: string;
}

const GAP = 3;
const printed = (text: string): number => stripVTControlCharacters(text).length;

/** Upper-case heads, three spaces between columns, no boxes; ends with a newline. Empty without rows. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: TableOptions = {},
): string {
  if (rows.length === 0) return '';
  const indent = options.indent ?? '';
  const used = columns.filter((column) => !column.wide || options.wide);
  const lines = rows.map((row) => used.map((column) => column.value(row) || '<none>'));
  if (!options.noHeaders) lines.unshift(used.map((column) => column.title));
  const widths = used.map((_, i) => Math.max(...lines.map((line) => printed(line[i] ?? ''))));
  const shown = columnsThatFit(widths, (options.width ?? Number.POSITIVE_INFINITY) - indent.length);
  return lines.map((line) => `${indent}${joinCells(line.slice(0, shown), widths)}\n`).join('');
}

function joinCells(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - printed(cell)) + GAP))
    .join('')
    .trimEnd();
}

function columnsThatFit(widths: readonly number[], width: number): number {
  let total = 0;
  for (const [i, own] of widths.entries()) {
    total += own + (i === 0 ? 0 : GAP);
    if (i > 0 && total > width) return i;
  }
  return widths.length;
}
