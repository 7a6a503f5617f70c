import { type Column, renderTable } from '../../src/cli/table.ts';
import type { Setup } from './controllers.ts';
import type { Measured, Reference } from './reference.ts';
import type { Ran } from './shards.ts';

const text = (measured: Measured | undefined): string =>
  measured ? `${measured.passed ? 'pass' : 'FAIL'} ${measured.seconds.toFixed(1)} s` : '-';

/** Gomega prints whole objects; the spec's own log has them. */
const FAILURE_LINES = 8;

/** One line for a spec that has ended; several when it failed. */
export function progressLine({ spec, outcome, folder }: Ran, done: number, count: number): string {
  const { passed, seconds, failure } = outcome;
  const line = `${`${done}`.padStart(`${count}`.length)}/${count} ${passed ? 'pass' : 'FAIL'} ${seconds.toFixed(1).padStart(6)} s  ${spec}\n`;
  const cause = failure.split('\n').slice(0, FAILURE_LINES).join('\n');
  return passed ? line : `${line}${`${cause}\nlogs: ${folder}`.replaceAll(/^/gm, '    ')}\n`;
}

/** What ran, beside what is recorded of the other controller. */
export function summary(all: readonly Ran[], setup: Setup, reference: Reference): string {
  const other: Setup = setup === 'ours' ? 'upstream' : 'ours';
  const columns: readonly Column<Ran>[] = [
    { title: setup.toUpperCase(), value: ({ outcome }) => text(outcome) },
    { title: other.toUpperCase(), value: ({ spec }) => text(reference[spec]?.[other]) },
    { title: 'SPEC', value: ({ spec }) => spec },
  ];
  const order = Object.keys(reference);
  const sorted = all.toSorted((a, b) => order.indexOf(a.spec) - order.indexOf(b.spec));
  const passed = all.filter(({ outcome }) => outcome.passed).length;
  return `\n${renderTable(columns, sorted)}\n${passed} of ${all.length} specs passed.\n`;
}
