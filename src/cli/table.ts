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
  /** Characters a line; what doesn't fit is dropped from the right, or cut when it is the last column. */
  readonly width?: number;
  readonly indent?: string;
}

const GAP = 3;
const printed = (text: string): number => stripVTControlCharacters(text).length;

/** What is left of a last column that is cut; with less room than this it is dropped like any other. */
const LEAST_CUT = 16;

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
  const { shown, lastWidth } = fitColumns(widths, (options.width ?? Number.POSITIVE_INFINITY) - indent.length);
  return lines.map((line) => `${indent}${joinCells(line.slice(0, shown), widths, lastWidth)}\n`).join('');
}

function joinCells(cells: readonly string[], widths: readonly number[], lastWidth: number): string {
  const last = cells.length - 1;
  return cells
    .map((cell, i) => {
      if (i === last) return printed(cell) > lastWidth ? `${cell.slice(0, lastWidth - 1)}…` : cell;
      return cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - printed(cell)) + GAP);
    })
    .join('')
    .trimEnd();
}

/** How many columns fit, and how wide the last of them may be. Only the very last column is ever cut. */
function fitColumns(widths: readonly number[], width: number): { readonly shown: number; readonly lastWidth: number } {
  let total = 0;
  for (const [i, own] of widths.entries()) {
    const start = total + (i === 0 ? 0 : GAP);
    if (i > 0 && start + own > width) {
      const left = width - start;
      if (i === widths.length - 1 && left >= LEAST_CUT) return { shown: i + 1, lastWidth: left };
      return { shown: i, lastWidth: Number.POSITIVE_INFINITY };
    }
    total = start + own;
  }
  return { shown: widths.length, lastWidth: Number.POSITIVE_INFINITY };
}
