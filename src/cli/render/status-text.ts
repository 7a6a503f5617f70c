import { stripVTControlCharacters } from 'node:util';
import type { PendingCause } from '../../explain/pending-causes.ts';
import type { InFlightDisruption, PoolStatus, StatusReport } from '../../explain/status-report.ts';
import { parseQuantityMilli } from '../../kube/quantity.ts';
import { ageOf } from '../age.ts';
import { count, formatAmount, formatHourly, formatMonthly, formatPercent } from '../amounts.ts';
import { renderBar } from '../bar.ts';
import type { Column } from '../table.ts';
import { shortMessage } from './short-message.ts';
import { tableIn, type View } from './view.ts';

const BAR_WIDTH = 10;
/** On a narrower terminal the numbers need the room. */
const BARS_FROM_WIDTH = 80;
const DEFAULT_RESOURCES = ['cpu', 'memory'] as const;

type Usage = Pick<PoolStatus, 'requested' | 'allocatable'>;

/** The report on one screen. */
export function statusText(report: StatusReport, view: View, resources: readonly string[] = DEFAULT_RESOURCES): string {
  const sections = [
    tableIn(view, poolColumns(resources, view), report.pools),
    poolMessages(report, view),
    summary(report, view),
    section('Pending pods', pendingTable(report, view), view),
    section('Disruptions under way', tableIn(view, disruptionColumns(view), report.disruptions, '  '), view),
  ];
  return sections.filter(Boolean).join('\n');
}

function section(title: string, body: string, { style, noHeaders }: View): string {
  if (body === '') return '';
  return noHeaders ? body : `${style.bold(title)}\n${body}`;
}

/** What is wrong with pools, in a line each, with the next step. */
function poolMessages({ pools }: StatusReport, { style, noHeaders, bin }: View): string {
  const told = pools.filter(({ message }) => message !== undefined);
  const [first] = told;
  if (!first || noHeaders) return '';
  return [
    ...told.map(({ name, message }) => `  ${style.bad('x')} ${name}  ${message}\n`),
    `  ${style.dim(`more: ${bin} explain nodepool ${first.name}`)}\n`,
  ].join('');
}

function poolColumns(resources: readonly string[], view: View): Column<PoolStatus>[] {
  const { style } = view;
  const types = (pool: PoolStatus): string =>
    Object.entries(pool.nodes.byCapacityType)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([type, n]) => `${n} ${type}`)
      .join(', ');
  return [
    { title: 'NODEPOOL', value: (pool) => pool.name },
    { title: 'READY', value: (pool) => (pool.ready === 'True' ? 'True' : style.bad(pool.ready)) },
    { title: 'NODES', value: nodesCell },
    { title: 'CAPACITY', value: types },
    ...resources.map((resource) => ({
      title: resource.toUpperCase(),
      value: (pool: PoolStatus) => usageCell(pool, resource, view),
    })),
    { title: 'PODS', value: (pool) => pool.requested.pods ?? '0', wide: true },
    { title: 'WEIGHT', value: (pool) => String(pool.weight), wide: true },
    { title: 'PRICE', value: (pool) => formatHourly(pool.price.hourly) },
    { title: 'LIMITS', value: (pool) => limitsCell(pool, style) },
    { title: 'BUDGET', value: budgetCell },
  ];
}

function nodesCell({ nodes }: PoolStatus): string {
  const parts = [
    nodes.launching > 0 ? `${nodes.launching} launching` : '',
    nodes.notReady > 0 ? `${nodes.notReady} not ready` : '',
    nodes.deleting > 0 ? `${nodes.deleting} leaving` : '',
  ].filter(Boolean);
  return parts.length > 0 ? `${nodes.total} (${parts.join(', ')})` : String(nodes.total);
}

/** A bar, requested of allocatable, and the share: `████░░░░░░ 3.5/8 44%`. */
function usageCell(usage: Usage, resource: string, { terminal, style }: View): string {
  const requested = milli(usage.requested[resource]);
  const allocatable = milli(usage.allocatable[resource]);
  const amounts = `${formatAmount(resource, requested)}/${formatAmount(resource, allocatable)}`;
  const text = `${amounts} ${formatPercent(requested, allocatable)}`;
  if (!terminal.live || terminal.width < BARS_FROM_WIDTH) return text;
  return `${style.good(renderBar(requested, allocatable, BAR_WIDTH, terminal.unicode))} ${text}`;
}

function limitsCell(pool: PoolStatus, style: View['style']): string {
  return Object.entries(pool.limits)
    .map(([name, { used, limit }]) => {
      const text = `${name} ${formatAmount(name, milli(used))}/${formatAmount(name, milli(limit))}`;
      return milli(used) >= milli(limit) ? style.warn(`${text} full`) : text;
    })
    .join(', ');
}

/** One number when all reasons allow the same, `reason:number` otherwise. */
function budgetCell({ budgets }: PoolStatus): string {
  const entries = Object.entries(budgets).map(([reason, { allowed }]) => [reason, allowed ?? 'any'] as const);
  const [first] = entries;
  if (!first) return '';
  if (entries.every(([, allowed]) => allowed === first[1])) return String(first[1]);
  return entries.map(([reason, allowed]) => `${reason}:${allowed}`).join(',');
}

function summary({ total, otherNodes }: StatusReport, view: View): string {
  if (view.noHeaders) return '';
  const usage = DEFAULT_RESOURCES.map((resource) => `${resource} ${usageCell(total, resource, view)}`);
  const { price } = total;
  const unpriced = price.nodesWithoutPrice > 0 ? ` (${count(price.nodesWithoutPrice, 'node')} without a price)` : '';
  const other = otherNodes.nodes.total > 0 ? `, ${otherNodes.nodes.total} not Karpenter's` : '';
  const head = `${view.style.bold('Total')}   ${count(total.nodes.total, 'node')}${other}`;
  const oneLine = [head, ...usage].join('   ');
  return [
    ...(stripVTControlCharacters(oneLine).length <= view.terminal.width
      ? [oneLine]
      : [head, ...usage.map((text) => `        ${text}`)]),
    `        ${formatHourly(price.hourly)}   ${formatMonthly(price.hourly)}${unpriced}\n`,
  ].join('\n');
}

/** The next step is about the first pod that has no place. */
function pendingTable({ pendingPods }: StatusReport, view: View): string {
  const stuck = pendingPods.find(({ code }) => code !== 'NewNode' && code !== 'ExistingNode');
  const more =
    stuck && !view.noHeaders ? `  ${view.style.dim(`more: ${view.bin} explain pod ${stuck.pods[0]}`)}\n` : '';
  return `${tableIn(view, PENDING, pendingPods, '  ')}${more}`;
}

const PENDING: readonly Column<PendingCause>[] = [
  { title: 'PODS', value: ({ count: n }) => String(n) },
  { title: 'CAUSE', value: ({ code }) => code },
  {
    title: 'EXAMPLE',
    value: ({ pods, count: n }) => `${pods[0] ?? ''}${n > 1 ? ` and ${n - 1} more` : ''}`,
  },
  { title: 'MESSAGE', value: ({ message }) => shortMessage(message) },
];

function disruptionColumns({ now }: View): Column<InFlightDisruption>[] {
  return [
    { title: 'NODE', value: ({ node, nodeClaim }) => node ?? nodeClaim ?? '' },
    { title: 'NODEPOOL', value: ({ nodePool }) => nodePool ?? '' },
    { title: 'REASON', value: ({ reason }) => reason },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'SINCE', value: ({ since }) => ageOf(since, now) },
  ];
}

function milli(quantity: string | undefined): number {
  return quantity === undefined ? 0 : parseQuantityMilli(quantity);
}
