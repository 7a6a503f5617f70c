import { describe, expect, it } from 'vitest';
import { type Column, renderTable } from './table.ts';

interface Row {
  readonly name: string;
  readonly state: string;
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'LENGTH', value: ({ name }) => String(name.length), wide: true },
];
const rows = [
  { name: 'a-long-name', state: 'Ready' },
  { name: 'b', state: '' },
];

describe('a table', () => {
  it('aligns its columns with three spaces between, and no spaces at the ends', () => {
    expect(renderTable(columns, rows)).toBe('NAME          STATE\na-long-name   Ready\nb             <none>\n');
  });

  it('adds columns on the right when wide', () => {
    expect(renderTable(columns, rows, { wide: true }).split('\n')[0]).toBe('NAME          STATE    LENGTH');
  });

  it('leaves its heads out', () => {
    expect(renderTable(columns, rows, { noHeaders: true })).toBe('a-long-name   Ready\nb             <none>\n');
  });

  it('drops columns that do not fit, from the right, and never the first', () => {
    expect(renderTable(columns, rows, { width: 12 })).toBe('NAME\na-long-name\nb\n');
  });

  it('cuts the last column rather than dropping it, when enough of it is left', () => {
    const long = [{ name: 'a', state: 'x'.repeat(50) }];
    expect(renderTable(columns, long, { noHeaders: true, width: 30 })).toBe(`a   ${'x'.repeat(25)}…\n`);
    expect(renderTable(columns, long, { noHeaders: true, width: 15 })).toBe('a\n');
  });

  it('measures coloured cells by what is seen', () => {
    const coloured = [{ name: '\u001B[31mred\u001B[39m', state: 'x' }];
    expect(renderTable(columns, coloured, { noHeaders: true })).toBe('\u001B[31mred\u001B[39m   x\n');
  });

  it('is nothing at all without rows', () => {
    expect(renderTable(columns, [])).toBe('');
  });
});
