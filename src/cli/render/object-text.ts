import type { ConditionExplanation, ObjectEvent, ObjectExplanation } from '../../explain/object-explanation.ts';
import { ageOf } from '../age.ts';
import type { Column } from '../table.ts';
import { tableIn, type View } from './view.ts';

/** A NodeClaim's or NodePool's conditions in plain words. */
export function objectText(report: ObjectExplanation, view: View): string {
  const { style, now } = view;
  const type = report.kind === 'NodeClaimExplanation' ? 'nodeclaim' : 'nodepool';
  const facts = [
    report.nodePool ? `NodePool ${report.nodePool}` : '',
    report.node ? `node/${report.node}` : '',
    report.deletionTimestamp ? `being deleted since ${ageOf(report.deletionTimestamp, now)}` : '',
  ].filter(Boolean);
  const lines = [`${style.bold(`${type}/${report.name}`)}  ${facts.join(', ')}`.trimEnd()];
  for (const note of report.notes) lines.push(`  ${style.bullet} ${note}`);
  for (const { field, from, to } of report.drift ?? []) {
    lines.push(
      `  ${style.bad(style.cross)} drifted: ${field}: it has ${from ?? 'none'}, its NodePool asks for ${to ?? 'none'}`,
    );
  }
  for (const condition of report.conditions) lines.push(...conditionLines(condition, view));
  if (report.conditions.length === 0) lines.push('  no conditions: no controller has looked at it yet');
  const events = tableIn(view, eventColumns(now), report.events, '  ');
  return `${lines.join('\n')}\n${events ? `\n${style.bold('Latest events')}\n${events}` : ''}`;
}

function conditionLines(condition: ConditionExplanation, { style, now }: View): string[] {
  const { type, status, healthy, meaning, reason, message, since, next } = condition;
  const mark = healthy ? style.good(style.tick) : style.bad(style.cross);
  const age = since ? style.dim(` for ${ageOf(since, now)}`) : '';
  const lines = [`  ${mark} ${type}=${status}${age}  ${meaning}`];
  if (!healthy && (reason || message)) lines.push(`      ${[reason, message].filter(Boolean).join(': ')}`);
  if (next) lines.push(`      look at  ${next}`);
  return lines;
}

function eventColumns(now: number): Column<ObjectEvent>[] {
  return [
    { title: 'AGE', value: ({ time }) => ageOf(time, now) },
    { title: 'TYPE', value: ({ type }) => type },
    { title: 'REASON', value: ({ reason }) => reason },
    { title: 'MESSAGE', value: ({ message, count }) => (count > 1 ? `${message} (${count} times)` : message) },
  ];
}
