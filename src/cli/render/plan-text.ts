import { nearestMiss } from '../../explain/nearest-miss.ts';
import type { Offer, PlannedClaimReport, PlanReport, ReportedPodError } from '../../explain/plan-report.ts';
import { parseQuantityMilli } from '../../kube/quantity.ts';
import { count, formatAmount, formatHourly, formatMonthly } from '../amounts.ts';
import type { Column } from '../table.ts';
import { shortMessage } from './short-message.ts';
import { tableIn, type View } from './view.ts';

/** What would be launched, where pods would go, and which find no place. */
export function planText(report: PlanReport, view: View): string {
  const { style, bin } = view;
  const placed = Object.entries(report.existingNodes);
  const errors = Object.entries(report.podErrors);
  const launched = report.newNodeClaims;
  const parts = [
    launched.length > 0
      ? `${style.bold(`${count(launched.length, 'node')} to launch`)}, ${formatHourly(report.totalPrice)} (${formatMonthly(report.totalPrice)})\n${tableIn(view, CLAIMS, launched, '  ')}`
      : '',
    placed.length > 0 ? `${style.bold('Room on nodes that are there')}\n${tableIn(view, EXISTING, placed, '  ')}` : '',
    errors.length > 0
      ? `${style.bold(unplacedTitle(errors))}\n${tableIn(view, ERRORS, errors, '  ')}  ${style.dim(`more: ${bin} explain pod ${errors[0]?.[0]}`)}\n`
      : '',
  ].filter(Boolean);
  if (parts.length === 0) return 'Nothing to do: no pod waits for a node.\n';
  return parts.join('\n');
}

function unplacedTitle(errors: readonly (readonly [string, ReportedPodError])[]): string {
  const waiting = errors.filter(([, { code }]) => code === 'NotReached').length;
  const without = `${count(errors.length - waiting, 'pod')} without a place`;
  return waiting > 0 ? `${without}, ${waiting} not reached yet` : without;
}

const CLAIMS: readonly Column<PlannedClaimReport>[] = [
  { title: 'NODEPOOL', value: ({ nodePool }) => nodePool },
  { title: 'PODS', value: ({ pods }) => String(pods.length) },
  { title: 'CHEAPEST TYPE', value: ({ instanceTypes }) => instanceTypes[0] ?? '' },
  { title: 'TYPES', value: ({ instanceTypes }) => String(instanceTypes.length) },
  { title: 'PRICE', value: ({ cheapestPrice }) => formatHourly(cheapestPrice) },
  { title: 'SOLD AS', value: ({ offers: [first] }) => (first ? soldAs(first) : '') },
  { title: 'CPU', value: ({ requests }) => amount('cpu', requests) },
  { title: 'MEMORY', value: ({ requests }) => amount('memory', requests) },
  { title: 'FIRST POD', value: ({ pods }) => pods[0] ?? '' },
  { title: 'NEXT BEST', value: ({ offers }) => offers.slice(1).map(offerText).join(', ') },
  { title: 'REQUIREMENTS', value: ({ requirements }) => requirements.join('; '), wide: true },
];

const EXISTING: readonly Column<readonly [string, readonly string[]]>[] = [
  { title: 'NODE', value: ([node]) => node },
  { title: 'PODS', value: ([, pods]) => String(pods.length) },
  { title: 'FIRST POD', value: ([, pods]) => pods[0] ?? '' },
];

const ERRORS: readonly Column<readonly [string, ReportedPodError]>[] = [
  { title: 'POD', value: ([pod]) => pod },
  { title: 'CAUSE', value: ([, error]) => nearestMiss(error).code },
  { title: 'NEAREST', value: ([, error]) => nearestMiss(error).nodePool ?? '' },
  { title: 'MESSAGE', value: ([, error]) => shortMessage(nearestMiss(error).message) },
];

function soldAs({ capacityType, zones }: Offer): string {
  return `${capacityType} in ${zones.length === 1 ? zones[0] : count(zones.length, 'zone')}`;
}

function offerText({ instanceType, price }: Offer): string {
  return `${instanceType} ${formatHourly(price)}`;
}

function amount(resource: string, requests: Readonly<Record<string, string>>): string {
  return formatAmount(resource, parseQuantityMilli(requests[resource] ?? '0'));
}
