import type { NodePoolExplanation } from '../../explain/node-pool-explanation.ts';
import type { BudgetOutlook } from '../../explain/pool-budgets.ts';
import { parseQuantityMilli } from '../../kube/quantity.ts';
import { ageOf, formatAge } from '../age.ts';
import { count, formatAmount, formatHourly, formatMonthly } from '../amounts.ts';
import type { Column } from '../table.ts';
import { conditionsText, eventsText } from './conditions-text.ts';
import { listed } from './listed.ts';
import { tableIn, type View } from './view.ts';

/** Whether a NodePool can be used, what it can buy, what its limits and budgets leave, and what waits on it. */
export function nodePoolText(report: NodePoolExplanation, view: View): string {
  const { style } = view;
  const { nodes, price, deletionTimestamp } = report;
  const facts = [
    nodesText(report),
    price.hourly > 0 ? `${formatHourly(price.hourly)} (${formatMonthly(price.hourly)})` : '',
    nodes.total > 0 && Object.keys(nodes.byCapacityType).length > 0 ? Object.keys(nodes.byCapacityType).join(', ') : '',
    deletionTimestamp ? `being deleted since ${ageOf(deletionTimestamp, view.now)}` : '',
  ].filter(Boolean);
  const parts = [
    `${style.bold(`nodepool/${report.name}`)}  ${facts.join(', ')}\n${factLines(report, view)}`,
    `${style.bold('May be disrupted now')}\n${tableIn(view, BUDGETS, report.budgets, '  ')}`,
    buyText(report, view),
    `${style.bold('Conditions')}\n${conditionsText(report.conditions, view)}`,
    eventsText(report.events, view),
  ];
  return parts.filter(Boolean).join('\n');
}

function nodesText({ nodes, nodeClaims, drifted }: NodePoolExplanation): string {
  const details = [
    nodes.notReady > 0 ? `${nodes.notReady} not ready` : '',
    nodes.launching > 0 ? `${nodes.launching} launching` : '',
    nodes.deleting > 0 ? `${nodes.deleting} leaving` : '',
    nodeClaims > nodes.total ? `${nodeClaims - nodes.total} more claims` : '',
    drifted > 0 ? `${drifted} drifted` : '',
  ].filter(Boolean);
  return `${count(nodes.total, 'node')}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
}

function factLines(report: NodePoolExplanation, view: View): string {
  const { style } = view;
  const { problems, replicas, limits, waiting } = report;
  return [
    ...problems.map((problem) => `  ${style.bad(style.cross)} ${problem}\n`),
    ...(replicas === null
      ? [`  turn     ${turnText(report)}\n`]
      : [`  static   keeps ${count(replicas, 'node')}; pending pods never add one\n`]),
    ...Object.entries(limits).map(
      ([resource, { used, limit, left }]) =>
        `  limit    ${resource}: ${amount(resource, used)} of ${amount(resource, limit)} used, ${parseQuantityMilli(left) > 0 ? `${amount(resource, left)} left` : 'none left, so it launches nothing more'}\n`,
    ),
    `  expiry   ${expiryText(report, view)}\n`,
    `  quiet    ${quietText(report)}\n`,
    ...(waiting.newNode.length > 0 ? [`  wait     ${listed(waiting.newNode)}: a new node of this pool\n`] : []),
    ...(waiting.nearestMiss.length > 0
      ? [`  wait     ${listed(waiting.nearestMiss)}: no place, and this pool comes nearest\n`]
      : []),
  ].join('');
}

function amount(resource: string, quantity: string): string {
  return formatAmount(resource, parseQuantityMilli(quantity));
}

function turnText({ order: { weight, position, of, tiedWith } }: NodePoolExplanation): string {
  if (position === null) return 'none: pods are not offered to it';
  const tie = tiedWith.length > 0 ? `; of equal weight, by name backwards: ${tiedWith.join(', ')}` : '';
  return `tried number ${position} of ${of}, weight ${weight}${tie}`;
}

function expiryText({ expiry: { after, next, withinADay } }: NodePoolExplanation, { now }: View): string {
  if (!next) return after === 'Never' ? 'never' : `after ${after}`;
  const left = Date.parse(next.at) - now;
  const when = left > 0 ? `in ${formatAge(left)}` : 'now';
  const day = withinADay > 0 ? `; ${count(withinADay, 'node')} within a day, whatever budgets say` : '';
  return `after ${after}; next is ${next.nodeClaim} ${when}${day}`;
}

function quietText({ consolidation: { policy, after, quiet, couldGo, staying }, nodes }: NodePoolExplanation): string {
  const stay = Object.entries(staying).map(([code, n]) => `${code} ${n}`);
  const state = nodes.total > 0 ? `; ${quiet} of ${nodes.total} nodes are quiet, ${couldGo} could go now` : '';
  const rule =
    after === 'Never' ? `never consolidated (${policy}, consolidateAfter Never)` : `${policy} after ${after}`;
  return `${rule}${state}${stay.length > 0 ? `; stay for ${stay.join(', ')}` : ''}`;
}

const BUDGETS: readonly Column<BudgetOutlook>[] = [
  { title: 'REASON', value: ({ reason }) => reason },
  { title: 'NODES', value: ({ remaining }) => (remaining === null ? 'any' : String(remaining)) },
  { title: 'CHANGES', value: ({ next }) => (next ? `${next.allowed ?? 'any'} from ${next.at}` : 'never') },
  { title: 'BECAUSE', value: ({ because }) => because },
];

function buyText({ offerings, problems }: NodePoolExplanation, { style }: View): string {
  const { types, offerings: number, cheapest, funnel } = offerings;
  const steps = funnel.map(({ step, left }) => `${left} ${step}`).join(' -> ');
  const heading = style.bold('Can buy');
  if (types === 0) return `${heading}  nothing\n  ${steps}\n`;
  const names = cheapest.map(({ name, price }) => `${name} ${formatHourly(price)}`).join(', ');
  const warning = offerings.problems.length > 0 && problems.length > 0 ? ', and yet too little' : '';
  return `${heading}  ${count(types, 'instance type')} in ${count(number, 'offering')}${warning}\n  cheapest  ${names}\n  ${steps}\n`;
}
