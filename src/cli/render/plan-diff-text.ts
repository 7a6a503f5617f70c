import type { DriftedNode } from '../../explain/drift-preview.ts';
import type { FieldChange } from '../../explain/field-change.ts';
import type { ObjectChange, PlanDiffReport } from '../../explain/plan-diff-report.ts';
import { count, formatHourly, formatMonthly } from '../amounts.ts';
import type { Column } from '../table.ts';
import { launchedTypes } from './launched-types.ts';
import { listed } from './listed.ts';
import { rollLines } from './roll-text.ts';
import { tableIn, type View } from './view.ts';

/** Names shown of nodes that drift alike, and of pods. */
const SHOWN_SHARED = 2;
const SHOWN_PODS = 5;

/** What an edit would do, before it is done. */
export function planDiffText(report: PlanDiffReport, view: View): string {
  if (!report.differs) return 'No difference: the objects are as they are in the cluster.\n';
  return [
    ...[...report.pools, ...report.others].map((change) => changeText(change, view)),
    report.assumptions.map((line) => `Taken for granted: ${line}\n`).join(''),
    driftText(report, view),
    launchText(report, view),
    podsText(report, view),
    costText(report, view),
  ]
    .filter(Boolean)
    .join('\n');
}

const FIELDS: readonly Column<FieldChange>[] = [
  { title: 'FIELD', value: ({ field }) => field },
  { title: 'NOW', value: ({ from }) => from ?? '-' },
  { title: 'AFTER', value: ({ to }) => to ?? '-' },
];

function changeText({ kind, name, namespace, change, fields, refusals, problems }: ObjectChange, view: View): string {
  const { style } = view;
  const cross = style.bad(style.cross);
  const lines = [
    ...refusals.map((refusal) => `  ${cross} the API would refuse it, so nothing changes: ${refusal}\n`),
    ...problems.map((problem) => `  ${cross} the controller would launch nothing from it: ${problem}\n`),
  ];
  const path = [kind.toLowerCase(), ...(namespace ? [namespace] : []), name].join('/');
  return `${style.bold(path)}  ${change}\n${fieldsText(fields, view)}${lines.join('')}`;
}

/** A table, or one value under the other where that would be too wide for the terminal. */
function fieldsText(fields: readonly FieldChange[], view: View): string {
  const table = tableIn({ ...view, wide: true }, FIELDS, fields, '  ');
  if (fits(table, view)) return table;
  return fields
    .map(({ field, from, to }) => {
      const old = from === null ? '' : `    - ${from}\n`;
      return `  ${field}\n${old}${to === null ? '' : `    + ${to}\n`}`;
    })
    .join('');
}

function fits(table: string, { terminal }: View): boolean {
  return table.split('\n').every((line) => line.length <= terminal.width);
}

interface DriftRow {
  readonly nodes: string;
  readonly reason: string;
  readonly change: FieldChange;
}

const DRIFT: readonly Column<DriftRow>[] = [
  // An empty cell continues the nodes above.
  { title: 'NODE', value: ({ nodes }) => nodes || ' ' },
  { title: 'REASON', value: ({ reason }) => reason || ' ' },
  { title: 'FIELD', value: ({ change }) => change.field },
  { title: 'NODE HAS', value: ({ change }) => change.from ?? '-' },
  { title: 'POOL ASKS', value: ({ change }) => change.to ?? '-' },
];

const NO_FIELD: FieldChange = { field: '-', from: null, to: null };

/** One row a field; nodes that drift in the very same fields share theirs. */
function driftRows(drift: readonly DriftedNode[]): readonly DriftRow[] {
  const alike = Map.groupBy(drift, ({ reason, already, fields }) => JSON.stringify([reason, already, fields]));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    const nodes = listed(
      group.map(({ node }) => node),
      SHOWN_SHARED,
    );
    const reason = `${first?.reason}${first?.already ? ' (already)' : ''}`;
    const fields = first?.fields.length ? first.fields : [NO_FIELD];
    return fields.map((change, i) => (i === 0 ? { nodes, reason, change } : { nodes: '', reason: '', change }));
  });
}

function driftText({ drift, rolls }: PlanDiffReport, view: View): string {
  if (drift.length === 0) return 'No node would drift.\n';
  const { style } = view;
  const gone = drift.filter(({ reason }) => reason === 'NodePoolDeleted').length;
  const removed = gone > 0 ? [`  ${count(gone, 'node')} of removed NodePools: at once, budgets don't count`] : [];
  const stuck = drift.filter(({ reason, blockers }) => reason !== 'NodePoolDeleted' && blockers.length > 0).length;
  const verb = gone === drift.length ? 'would go' : 'would drift';
  const heading = `${count(drift.length, 'node')} ${verb}${stuckText(stuck, drift.length)}`;
  const lines = [...removed, ...rolls.flatMap((roll) => rollLines(roll, view)), ...keptLines(drift, view)];
  return `${style.bold(heading)}\n${driftedText(driftRows(drift), view)}${lines.map((line) => `${line}\n`).join('')}`;
}

function stuckText(stuck: number, all: number): string {
  if (stuck === 0) return '';
  return `, and ${stuck === all ? '' : `${stuck} of them `}can't be replaced as things are`;
}

/** A table, or a field a line under its nodes where that would be too wide for the terminal. */
function driftedText(rows: readonly DriftRow[], view: View): string {
  const table = tableIn({ ...view, wide: true }, DRIFT, rows, '  ');
  if (fits(table, view)) return table;
  return rows
    .map(({ nodes, reason, change: { field, from, to } }) => {
      const heading = nodes ? `  ${nodes}   ${reason}\n` : '';
      return `${heading}    ${field}: the node has ${from ?? 'none'}, its pool asks for ${to ?? 'none'}\n`;
    })
    .join('');
}

/** Nodes that stay for the very same reason share a line. */
function keptLines(drift: readonly DriftedNode[], { style }: View): readonly string[] {
  const blocked = drift.flatMap(({ node, blockers }) => blockers.map((blocker) => ({ node, ...blocker })));
  const causes = Map.groupBy(blocked, ({ code, message, why }) => `${style.warn(code)}  ${why ?? message.trimEnd()}`);
  return [...causes].map(([cause, nodes]) => {
    const names = nodes.map(({ node }) => node);
    return `  ${style.cross} ${listed(names, SHOWN_SHARED)} ${names.length > 1 ? 'stay' : 'stays'} as long as  ${cause}`;
  });
}

function launchText({ before, after, replacements, rolls, buffers }: PlanDiffReport, view: View): string {
  const line = (label: string, launched: PlanDiffReport['before']): string => {
    const out = launched.unplaced.length > 0 ? `; no place for ${listed(launched.unplaced, SHOWN_PODS)}` : '';
    return `  ${label}: ${launchedTypes(launched.newNodeClaims) || 'nothing to launch'}${out}\n`;
  };
  return [
    `${view.style.bold('To launch')}\n`,
    line('for pods that wait, now', before),
    line('for pods that wait, after', after),
    rolls.length > 0
      ? `  for drifted nodes, ${replacements.isEstimate ? 'all at once' : 'one after the other'}: ${launchedTypes(replacements.newNodeClaims) || 'nothing, there is room'}; ${count(replacements.podMoves, 'pod')} moved\n`
      : '',
    ...buffers.map(
      ({ buffer, existing, new: fresh, failed }) =>
        `  ${buffer}: room for ${existing} on nodes that are there, ${fresh} on new ones${failed > 0 ? `, none for ${failed}` : ''}\n`,
    ),
  ].join('');
}

function podsText({ pods }: PlanDiffReport, { style }: View): string {
  const lines = [
    pods.gain.length > 0 ? `  ${style.good(style.tick)} get a place: ${listed(pods.gain, SHOWN_PODS)}\n` : '',
    pods.lose.length > 0 ? `  ${style.bad(style.cross)} lose theirs: ${listed(pods.lose, SHOWN_PODS)}\n` : '',
  ].join('');
  return lines ? `${style.bold('Pods')}\n${lines}` : '';
}

function costText({ cost }: PlanDiffReport, { style }: View): string {
  const sign = cost.hourly < 0 ? '-' : '+';
  const change = Math.abs(cost.hourly);
  return `${style.bold('Cost')}  ${formatHourly(cost.before)} now, ${formatHourly(cost.after)} after: ${sign}${formatHourly(change)}, ${sign}${formatMonthly(change)}\n`;
}
