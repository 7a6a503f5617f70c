import type { FieldChange } from '../../explain/field-change.ts';
import type { DriftedNode, PlanDiffReport, PoolChange } from '../../explain/plan-diff-report.ts';
import { count, formatHourly, formatMonthly } from '../amounts.ts';
import type { Column } from '../table.ts';
import { tableIn, type View } from './view.ts';

/** Names shown of nodes that drift alike. */
const SHOWN_SHARED = 2;

/** What an edit to NodePools would do, before it is done. */
export function planDiffText(report: PlanDiffReport, view: View): string {
  if (!report.differs) return 'No difference: the NodePools are as they are in the cluster.\n';
  return [
    ...report.pools.map((pool) => poolText(pool, view)),
    driftText(report, view),
    launchText(report, view),
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

function poolText({ name, change, fields, problems }: PoolChange, view: View): string {
  const { style } = view;
  const refused = problems.map((problem) => `  ${style.cross} would be refused: ${problem}\n`).join('');
  return `${style.bold(`nodepool/${name}`)}  ${change}\n${tableIn(view, FIELDS, fields, '  ')}${refused}`;
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

/** One row a field; nodes that drift in the very same fields share theirs. */
function driftRows(drift: readonly DriftedNode[]): readonly DriftRow[] {
  const alike = Map.groupBy(drift, ({ reason, already, fields }) => JSON.stringify([reason, already, fields]));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    const names = group.map(({ node }) => node);
    const more = names.length - SHOWN_SHARED;
    const nodes = more > 0 ? `${names.slice(0, SHOWN_SHARED).join(', ')} and ${more} more` : names.join(', ');
    const reason = `${first?.reason}${first?.already ? ' (already)' : ''}`;
    const fields = first?.fields.length ? first.fields : [{ field: '-', from: null, to: null }];
    return fields.map((change, i) => (i === 0 ? { nodes, reason, change } : { nodes: '', reason: '', change }));
  });
}

function driftText({ drift, pools }: PlanDiffReport, view: View): string {
  if (drift.length === 0) return 'No node would drift.\n';
  const budgets = pools
    .filter(({ name }) => drift.some(({ nodePool }) => nodePool === name))
    .map(({ name, driftBudget }) => `  NodePool ${name}: ${driftBudget ?? 'any number'} at a time (budget now)\n`);
  return `${view.style.bold(`${count(drift.length, 'node')} would drift and be replaced`)}\n${tableIn(view, DRIFT, driftRows(drift), '  ')}${budgets.join('')}`;
}

function launchText({ before, after, replacements, drift }: PlanDiffReport, view: View): string {
  const line = (label: string, launched: PlanDiffReport['before']): string => {
    const types = launched.newNodeClaims.map((claim) => `${claim.instanceTypes[0]} of NodePool ${claim.nodePool}`);
    const out = launched.unplaced.length > 0 ? `; no place for ${launched.unplaced.join(', ')}` : '';
    return `  ${label}: ${types.join(', ') || 'nothing to launch'}${out}\n`;
  };
  return [
    `${view.style.bold('To launch for the pods that wait')}\n`,
    line('now', before),
    line('after', after),
    drift.length > 0 ? line('for drifted nodes', replacements) : '',
  ].join('');
}

function costText({ cost }: PlanDiffReport, { style }: View): string {
  const sign = cost.hourly < 0 ? '-' : '+';
  const change = Math.abs(cost.hourly);
  return `${style.bold('Cost')}  ${formatHourly(cost.before)} now, ${formatHourly(cost.after)} after: ${sign}${formatHourly(change)}, ${sign}${formatMonthly(change)}\n`;
}
