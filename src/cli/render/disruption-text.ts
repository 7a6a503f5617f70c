import type { DisruptionCommandReport } from '../../explain/command-report.ts';
import type { BlockerReport, DisruptionReport } from '../../explain/disruption-report.ts';
import { count, formatHourly, formatMonthly } from '../amounts.ts';
import type { Column } from '../table.ts';
import { tableIn, type View } from './view.ts';

const SHOWN_NAMES = 5;
/** Names shown of nodes that share a reason. */
const SHOWN_SHARED = 2;

/** The next move, what it saves, and what keeps each other node. */
export function disruptionText(report: DisruptionReport, view: View): string {
  const { style, bin } = view;
  const { chosen } = report;
  const stay = Object.keys(report.blocked);
  const parts = [
    chosen ? `${style.bold('Next')}\n${commandText(chosen, view)}` : noneText(report),
    report.alternatives.length > 0
      ? `${style.bold('When they have the turn')}\n${tableIn(view, ALTERNATIVES, report.alternatives, '  ')}`
      : '',
    stay.length > 0
      ? `${style.bold(`${count(stay.length, 'node')} ${stay.length === 1 ? 'stays' : 'stay'}`)}\n${tableIn(view, BLOCKED, blockedRows(report), '  ')}  ${style.dim(`more: ${bin} explain node ${stay[0]}`)}\n`
      : '',
    budgetsText(report, view),
  ];
  return parts.filter(Boolean).join('\n');
}

/** One command in a few lines: what goes, what comes, what it saves. */
export function commandText(command: DisruptionCommandReport, { style }: View): string {
  const { candidates, replacements, savings, method, reason, decision } = command;
  const nodes = listed(
    candidates.map((name) => `node/${name}`),
    'node',
  );
  const lines = [`  ${decision} ${nodes}   ${style.dim(`${reason}, ${method}`)}`];
  for (const claim of replacements) {
    const others = claim.instanceTypes.length > 1 ? ` or ${count(claim.instanceTypes.length - 1, 'other type')}` : '';
    lines.push(
      `    ${style.arrow} new ${claim.instanceTypes[0] ?? 'node'}${others} of NodePool ${claim.nodePool} at ${formatHourly(claim.cheapestPrice)} for ${count(claim.pods.length, 'pod')}`,
    );
  }
  for (const [node, pods] of Object.entries(command.placements)) {
    lines.push(
      `    ${style.arrow} node/${node} takes ${pods.length > 3 ? count(pods.length, 'pod') : pods.join(', ')}`,
    );
  }
  if (savings.hourly > 0) {
    const perPod = savings.hourlyPerPod === null ? '' : `; ${formatHourly(savings.hourlyPerPod)} for each pod moved`;
    lines.push(`    saves ${style.good(formatHourly(savings.hourly))}, ${formatMonthly(savings.hourly)}${perPod}`);
  }
  return `${lines.join('\n')}\n`;
}

function noneText({ chosenElsewhere }: DisruptionReport): string {
  return chosenElsewhere ? 'The next move is about other nodes.\n' : 'Nothing to disrupt now.\n';
}

const ALTERNATIVES: readonly Column<DisruptionCommandReport>[] = [
  { title: 'NODE', value: ({ candidates }) => candidates.join(', ') },
  { title: 'SAVES', value: ({ savings }) => formatHourly(savings.hourly) },
  { title: 'A MONTH', value: ({ savings }) => formatMonthly(savings.hourly).replace('/month', '') },
  { title: 'PODS', value: ({ podsDisrupted }) => String(podsDisrupted) },
  { title: 'PER POD', value: ({ savings: s }) => (s.hourlyPerPod === null ? '-' : formatHourly(s.hourlyPerPod)) },
  { title: 'BECOMES', value: becomes },
  { title: 'REASON', value: ({ reason }) => reason, wide: true },
];

/** Where a command leaves the pods: on a new node, on nodes that are there, or nowhere as there are none. */
function becomes({ replacements, placements }: DisruptionCommandReport): string {
  const launched = replacements.map((claim) => `new ${claim.instanceTypes[0] ?? 'node'} of NodePool ${claim.nodePool}`);
  const existing = Object.keys(placements);
  const room = existing.length > 0 ? [`room on ${listed(existing, 'node')}`] : [];
  return [...launched, ...room].join(', ') || 'nothing';
}

/** All of a short list, the first few of a long one. */
function listed(names: readonly string[], noun: string): string {
  if (names.length <= SHOWN_NAMES) return names.join(', ');
  return `${count(names.length, noun)}: ${names.slice(0, SHOWN_NAMES).join(', ')}, …`;
}

interface BlockedRow {
  readonly nodes: string;
  readonly blocker: BlockerReport;
}

const BLOCKED: readonly Column<BlockedRow>[] = [
  // An empty cell continues the nodes above.
  { title: 'NODE', value: ({ nodes }) => nodes || ' ' },
  { title: 'CAUSE', value: ({ blocker }) => blocker.code },
  { title: 'MESSAGE', value: ({ blocker }) => blocker.message },
];

/** Nodes that stay for the very same reasons share their rows. */
function blockedRows({ blocked }: DisruptionReport): readonly BlockedRow[] {
  const byReasons = Map.groupBy(Object.entries(blocked), ([, blockers]) => JSON.stringify(blockers));
  return [...byReasons.values()].flatMap((group) => {
    const names = group.map(([name]) => name);
    const more = names.length - SHOWN_SHARED;
    const nodes = more > 0 ? `${names.slice(0, SHOWN_SHARED).join(', ')} and ${more} more` : names.join(', ');
    return (group[0]?.[1] ?? []).map((blocker, i) => ({ nodes: i === 0 ? nodes : '', blocker }));
  });
}

function budgetsText({ methods }: DisruptionReport, view: View): string {
  const exhausted = methods.flatMap(({ method, budgets }) =>
    Object.entries(budgets)
      .filter(([, left]) => left === 0)
      .map(([pool]) => ({ pool, method })),
  );
  if (exhausted.length === 0) return '';
  const byPool = Map.groupBy(exhausted, ({ pool }) => pool);
  const lines = [...byPool].map(
    ([pool, entries]) => `  NodePool ${pool}: none left for ${entries.map(({ method }) => method).join(', ')}`,
  );
  return `${view.style.bold('Budgets used up')}\n${lines.join('\n')}\n`;
}
