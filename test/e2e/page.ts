import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Setup } from './controllers.ts';
import { isFast, type Measured, type Reference } from './reference.ts';

/** Where the results are told. */
export const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'e2e.md');
const MARK = '<!-- test/e2e/run.ts --write replaces what follows -->\n';

/** Writes the table of all specs into docs/e2e.md. */
export async function writePage(reference: Reference): Promise<void> {
  await writeFile(PAGE, pageWith(reference, await readFile(PAGE, 'utf8')));
}

/** The text of docs/e2e.md with these results. */
export function pageWith(reference: Reference, page: string): string {
  const end = page.indexOf(MARK);
  if (end === -1) throw new Error(`${PAGE}: no line "${MARK.trim()}"`);
  return `${page.slice(0, end)}${MARK}\n${table(reference)}`;
}

function table(reference: Reference): string {
  const specs = Object.entries(reference);
  const heads = ['spec', 'in CI', 'ours', 'upstream', 'ours, embedded'];
  const rows = specs.map(([spec, { ours, upstream, embedded }]) => [
    spec.replaceAll(/[|*]/g, '\\$&'),
    isFast(spec, reference) ? 'yes' : '',
    cell(ours),
    cell(upstream),
    cell(embedded),
  ]);
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |\n`;
  const rule = widths.map((width) => '-'.repeat(width));
  const totals = [
    total('ours', specs, 'ours'),
    total('upstream', specs, 'upstream'),
    total('ours on the embedded cluster', specs, 'embedded'),
  ];
  return `${totals.map((text) => `- ${text}\n`).join('')}\n${[heads, rule, ...rows].map(line).join('')}`;
}

const cell = (measured: Measured | undefined): string =>
  measured ? `${measured.passed ? '' : 'fails, '}${measured.seconds.toFixed(1)} s` : '';

function total(name: string, specs: readonly [string, Reference[string]][], setup: Setup): string {
  const measured = specs.flatMap(([, results]) => results[setup] ?? []);
  const passed = measured.filter((m) => m.passed).length;
  const minutes = measured.reduce((sum, m) => sum + m.seconds, 0) / 60;
  return `${name}: ${passed} of ${measured.length} pass, ${minutes.toFixed(0)} minutes one after the other`;
}
