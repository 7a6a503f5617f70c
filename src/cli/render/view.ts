import { type Style, styleFor } from '../style.ts';
import { type Column, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** How an answer is to look: the terminal it goes to, and what the user asked for. */
export interface View {
  readonly terminal: Terminal;
  readonly style: Style;
  readonly wide: boolean;
  readonly noHeaders: boolean;
  /** Epoch milliseconds, for ages. */
  readonly now: number;
  /** How the program is called, for the commands that are offered. */
  readonly bin: string;
}

export function viewOf(terminal: Terminal, options: Omit<View, 'terminal' | 'style'>): View {
  return { terminal, style: styleFor(terminal), ...options };
}

export function tableIn<Row>(view: View, columns: readonly Column<Row>[], rows: readonly Row[], indent = ''): string {
  const { wide, noHeaders, terminal } = view;
  return renderTable(columns, rows, {
    wide,
    noHeaders,
    width: wide ? Number.POSITIVE_INFINITY : terminal.width,
    indent,
  });
}
