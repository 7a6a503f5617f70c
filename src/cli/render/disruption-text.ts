import { UNLIMITED } from '../../disruption/budgets.ts';
import type { DisruptionCommandReport } from '../../explain/command-report.ts';
import type { BlockerReport, DisruptionReport, MethodReport } from '../../explain/disruption-report.ts';
import type { StepReport } from '../../explain/next-steps.ts';
import { count, formatHourly, formatMonthly } from '../amounts.ts';
import type { Column } from '../table.ts';
import { listed } from './listed.ts';
import { tableIn, type View } from './view.ts';

const SHOWN_NAMES = 5;
/** Names shown of nodes that share a reason. */
const SHOWN_SHARED = 2;
/** Nodes shown that take pods of a command. */
const SHOWN_PLACES = 8;
/** Groups of nodes that stay for the same reasons; all of them with `-o wide`. */
const SHOWN_GROUPS = 12;

/** The next move and those after it, what they save, and what keeps each other node. */
export function disruptionText(report: DisruptionReport, view: View): string {
  const { style } = view;
  const { chosen } = report;
  const parts = [
    chosen ? `${style.bold('Next')}\n${commandText(chosen, view)}` : noneText(report),
    togetherText(report, view),
    stepsText(report, view),
    report.alternatives.length > 0
      ? `${style.bold('When they have the turn')}\n${tableIn(view, ALTERNATIVES, report.alternatives, '  ')}`
      : '',
    blockedText(report, view),
    methodsText(report, view),
  ];
  return parts.filter(Boolean).join('\n');
}

/** One command in a few lines: what goes, what comes, what it saves. */
export function commandText(command: DisruptionCommandReport, { style }: View): string {
  const { candidates, replacements, savings, method, reason, decision } = command;
  const nodes = counted(candidates.map((name) => `node/${name}`));
  const lines = [`  ${decision} ${nodes}   ${style.dim(`${reason}, ${method}`)}`];
  for (const claim of replacements) {
    const others = claim.instanceTypes.length > 1 ? ` or ${count(claim.instanceTypes.length - 1, 'other type')}` : '';
    lines.push(
      `    ${style.arrow} new ${claim.instanceTypes[0] ?? 'node'}${others} of NodePool ${claim.nodePool} at ${formatHourly(claim.cheapestPrice)} for ${count(claim.pods.length, 'pod')}`,
    );
  }
  const placements = Object.entries(command.placements);
  for (const [node, pods] of placements.slice(0, SHOWN_PLACES)) {
    lines.push(
      `    ${style.arrow} node/${node} takes ${pods.length > 3 ? count(pods.length, 'pod') : pods.join(', ')}`,
    );
  }
  const rest = placements.slice(SHOWN_PLACES);
  if (rest.length > 0) {
    const pods = rest.reduce((sum, [, { length }]) => sum + length, 0);
    lines.push(`    ${style.arrow} ${count(rest.length, 'other node')} take ${count(pods, 'pod')}`);
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
  const room = existing.length > 0 ? [`room on ${counted(existing)}`] : [];
  return [...launched, ...room].join(', ') || 'nothing';
}

/** All of a few nodes, the number of many with the first few. */
function counted(names: readonly string[]): string {
  if (names.length <= SHOWN_NAMES) return names.join(', ');
  return `${count(names.length, 'node')}: ${names.slice(0, SHOWN_NAMES).join(', ')}, …`;
}

function togetherText({ together }: DisruptionReport, view: View): string {
  if (!together) return '';
  const { style } = view;
  const { command, blockers, turn, nodes } = together;
  const places = Object.entries(turn.positions).map(([node, place]) => `${node} is number ${place}`);
  const order = `the ${turn.listed} candidates in order of what they save for what they disrupt`;
  const tried =
    turn.smallestAttempt === null
      ? `never tried: multi-node consolidation takes the first 2 to ${turn.most} of ${order}, and ${places.length < nodes.length ? 'not all of these are in that list' : places.join(', ')}`
      : `tried only as the first ${turn.smallestAttempt} of ${order}: ${places.join(', ')}`;
  const kept = blockers.map(
    ({ node, code, message, why }) =>
      `  ${style.cross} ${node ?? 'together'}: ${style.warn(code)}  ${why ?? message.trimEnd()}\n`,
  );
  const answer = command ? commandText(command, view) : '';
  return `${style.bold('Together')}\n${answer}${kept.join('')}  ${style.dim(tried)}\n`;
}

interface BlockedGroup {
  readonly nodes: readonly string[];
  readonly blockers: readonly BlockerReport[];
  readonly hourly: number;
  /** What would keep them next. */
  readonly keptBy: readonly string[];
}

/** Nodes that stay for the very same reasons, together; most to save first. */
function blockedGroups({ blocked, couldSave }: DisruptionReport): readonly BlockedGroup[] {
  const byReasons = Map.groupBy(Object.entries(blocked), ([name, blockers]) =>
    JSON.stringify([
      couldSave[name]?.keptBy,
      blockers.map(({ code, message, objects, reason }) => [code, message, objects, reason]),
    ]),
  );
  return [...byReasons.values()]
    .map((group) => ({
      nodes: group.map(([name]) => name),
      blockers: group[0]?.[1] ?? [],
      keptBy: couldSave[group[0]?.[0] ?? '']?.keptBy ?? [],
      hourly: group.reduce((sum, [name]) => sum + (couldSave[name]?.hourly ?? 0), 0),
    }))
    .sort((a, b) => b.hourly - a.hourly);
}

function blockedText(report: DisruptionReport, view: View): string {
  const { style, bin, wide } = view;
  const names = Object.keys(report.blocked);
  if (names.length === 0) return '';
  const groups = blockedGroups(report);
  const shown = wide ? groups : groups.slice(0, SHOWN_GROUPS);
  const hidden = groups.slice(shown.length).reduce((sum, { nodes }) => sum + nodes.length, 0);
  const more = hidden > 0 ? `  and ${count(hidden, 'node')} more: -o wide\n` : '';
  const heading = `${count(names.length, 'node')} ${names.length === 1 ? 'stays' : 'stay'}, most to save first`;
  return `${style.bold(heading)}\n${shown.map((group) => groupText(group, view)).join('')}${more}  ${style.dim(`more: ${bin} explain node ${names[0]}`)}\n`;
}

function groupText({ nodes, blockers, hourly, keptBy }: BlockedGroup, { style }: View): string {
  const names = listed(nodes, SHOWN_SHARED);
  const saves = hourly > 0 ? `   would save ${formatHourly(hourly)} without this` : '';
  const next = keptBy.length > 0 ? [`    and then  ${keptBy.join(', ')}`] : [];
  const example = nodes.length > 1 ? ` (${nodes[0]})` : '';
  const lines = blockers.flatMap(({ code, message, why, event }) => {
    const said = event ? `Karpenter's event ${event}: ` : '';
    return [
      `    ${style.warn(code)}  ${why ? `${why}${example}` : message.trimEnd()}`,
      ...(why ? [`      ${style.dim(`${said}${message.trimEnd()}`)}`] : []),
    ];
  });
  return `  ${names}${saves}\n${[...lines, ...next].map((line) => `${line}\n`).join('')}`;
}

const STEPS: readonly Column<StepRow>[] = [
  { title: '#', value: ({ number }) => String(number) },
  { title: 'DO', value: ({ step }) => step.command.decision },
  { title: 'NODES', value: ({ step }) => counted(step.command.candidates) },
  { title: 'SAVES', value: ({ step }) => formatHourly(step.command.savings.hourly) },
  { title: 'PODS', value: ({ step }) => String(step.command.podsDisrupted) },
  { title: 'SO FAR', value: ({ step }) => formatHourly(step.total.hourly) },
  { title: 'PODS SO FAR', value: ({ step }) => String(step.total.podsDisrupted) },
  { title: 'METHOD', value: ({ step }) => step.command.method },
  { title: 'BECOMES', value: ({ step }) => becomes(step.command) },
];

interface StepRow {
  readonly number: number;
  readonly step: StepReport;
}

/** A single step is what `Next` says already. */
function stepsText({ next }: DisruptionReport, view: View): string {
  const last = next?.steps.at(-1)?.total;
  if (!next || !last || next.steps.length < 2) return '';
  const { style } = view;
  const rows = next.steps.map((step, i) => ({ number: i + 1, step }));
  const end = next.finished ? 'then nothing is left to do' : 'and more: --steps all';
  const nodes = `${last.nodesRemoved} gone, ${last.nodesLaunched} new`;
  const saved = `${formatHourly(last.hourly)}, ${formatMonthly(last.hourly)}`;
  return `${style.bold('What goes next')}, as if each had settled before the one after it\n${tableIn(view, STEPS, rows, '  ')}  ${end}: ${saved} saved for ${count(last.podsDisrupted, 'pod')} disrupted; nodes: ${nodes}\n`;
}

const METHODS: readonly Column<MethodReport>[] = [
  { title: 'METHOD', value: ({ method }) => method },
  { title: 'CANDIDATES', value: ({ candidates }) => String(candidates.length) },
  {
    title: 'BUDGETS LEFT',
    value: ({ budgets }) =>
      Object.entries(budgets)
        .map(([pool, left]) => `${pool} ${left >= UNLIMITED ? 'any' : left}`)
        .join(', '),
  },
  { title: 'WOULD NOW', value: ({ commands }) => (commands[0] ? wouldNow(commands[0]) : 'nothing') },
];

function wouldNow({ decision, candidates }: DisruptionCommandReport): string {
  return `${decision} ${counted(candidates)}`;
}

function methodsText({ methods }: DisruptionReport, view: View): string {
  return `${view.style.bold('Methods, in the order in which they are tried')}\n${tableIn(view, METHODS, methods, '  ')}`;
}
