import type { ConditionExplanation, ObjectEvent } from '../../explain/conditions-explained.ts';
import { ageOf } from '../age.ts';
import type { Column } from '../table.ts';
import { tableIn, type View } from './view.ts';

/** Conditions with what they mean, one a line; what to look at under those that are not as they should be. */
export function conditionsText(conditions: readonly ConditionExplanation[], view: View): string {
  if (conditions.length === 0) return '  no conditions: no controller has looked at it yet\n';
  return conditions.flatMap((condition) => conditionLines(condition, view)).join('');
}

function conditionLines(condition: ConditionExplanation, { style, now }: View): string[] {
  const { type, status, healthy, meaning, reason, message, since, next } = condition;
  const mark = healthy ? style.good(style.tick) : style.bad(style.cross);
  const age = since ? style.dim(` for ${ageOf(since, now)}`) : '';
  const lines = [`  ${mark} ${type}=${status}${age}  ${meaning}\n`];
  if (!healthy && (reason || message)) lines.push(`      ${[reason, message].filter(Boolean).join(': ')}\n`);
  if (next) lines.push(`      look at  ${next}\n`);
  return lines;
}

/** Nothing when there are no events. */
export function eventsText(events: readonly ObjectEvent[], view: View): string {
  const table = tableIn(view, eventColumns(view.now), events, '  ');
  return table ? `${view.style.bold('Latest events')}\n${table}` : '';
}

function eventColumns(now: number): Column<ObjectEvent>[] {
  return [
    { title: 'AGE', value: ({ time }) => ageOf(time, now) },
    { title: 'TYPE', value: ({ type }) => type },
    { title: 'REASON', value: ({ reason }) => reason },
    { title: 'MESSAGE', value: ({ message, count }) => (count > 1 ? `${message} (${count} times)` : message) },
  ];
}
