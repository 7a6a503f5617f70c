import type { DoctorReport } from '../../doctor/doctor-report.ts';
import type { Verdict } from '../../doctor/finding.ts';
import type { PlacedFinding } from '../../doctor/run-checks.ts';
import type { Style } from '../style.ts';
import type { View } from './view.ts';

/** A finding a line under the head of its area, with the fix below; then the sums. */
export function doctorText(report: DoctorReport, view: View): string {
  const { style } = view;
  const shown = view.wide ? report.findings : withoutRepeats(report.findings);
  const areas = Map.groupBy(shown, ({ area }) => area);
  const width = Math.max(...shown.map(({ check }) => check.length));
  const blocks = [...areas].map(
    ([area, findings]) =>
      `${style.bold(area)}\n${findings.map((finding) => findingLines(finding, width, style)).join('')}`,
  );
  return [...blocks, ...statementsText(report, style), `${sums(report, style)}\n${report.privacy}\n`].join('\n');
}

/** From so many on, what is alike stands in one line. */
const MANY = 4;

/** Things of one area that came to the same in the same words are told together: two dozen permissions, for example. */
function withoutRepeats(findings: readonly PlacedFinding[]): readonly PlacedFinding[] {
  const alike = Map.groupBy(findings, ({ area, verdict, message }) => JSON.stringify([area, verdict, message]));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (!first || group.length < MANY) return group;
    const names = group.map(({ check }) => check).join(', ');
    return [{ ...first, check: `${group.length} alike`, details: [names, ...(first.details ?? [])] }];
  });
}

function findingLines({ check, verdict, message, details = [], fix = [] }: PlacedFinding, width: number, style: Style) {
  const lines = [`  ${mark(verdict, style)}  ${check.padEnd(width)}  ${message}`];
  for (const detail of details) lines.push(`      ${detail}`);
  for (const each of fix) lines.push(`      ${style.dim('fix')}  ${each}`);
  return `${lines.join('\n')}\n`;
}

/** A word beside each sign, so that no colour carries a meaning alone. */
function mark(verdict: Verdict, style: Style): string {
  const word = verdict.padEnd('skipped'.length);
  switch (verdict) {
    case 'pass':
      return style.good(word);
    case 'warn':
      return style.warn(word);
    case 'fail':
      return style.bad(word);
    case 'skipped':
      return style.dim(word);
  }
}

function statementsText({ statements }: DoctorReport, style: Style): string[] {
  if (statements.length === 0) return [];
  const text = statements.map((statement) => JSON.stringify(statement, null, 2)).join(',\n');
  return [
    `${style.bold("Statements to add to the policies of the controller's role")}\n${text.replaceAll(/^/gm, '  ')}\n`,
  ];
}

function sums({ counts }: DoctorReport, style: Style): string {
  const text = (Object.keys(counts) as Verdict[]).map((verdict) => `${counts[verdict]} ${verdict}`).join(', ');
  return counts.fail > 0 ? style.bad(text) : text;
}
