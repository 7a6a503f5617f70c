import type { OfferedType, OfferingFacts, OfferingsReport, PoolOffers } from '../../explain/offerings-report.ts';
import { parseQuantityMilli } from '../../kube/quantity.ts';
import { formatAge } from '../age.ts';
import { count, formatAmount, formatHourly } from '../amounts.ts';
import type { Column } from '../table.ts';
import { reasonLines } from './reason-text.ts';
import { tableIn, type View } from './view.ts';

/** Types shown of each pool, unless all are asked for. */
const SHOWN_TYPES = 15;
const SHOWN_SOLD_OUT = 3;
const SHOWN_NOT_ALLOWED = 5;
const USUAL: ReadonlySet<string> = new Set(['cpu', 'memory', 'pods', 'ephemeral-storage']);

/** Each pool's types, cheapest first; with a pod, those that it fits. */
export function offeringsText(report: OfferingsReport, view: View, isAll: boolean): string {
  return report.pools.map((pool) => poolText(pool, report.pod, view, isAll)).join('\n');
}

function poolText(pool: PoolOffers, pod: string | null, view: View, isAll: boolean): string {
  const { style, bin } = view;
  const { nodePool, nodeClass, types, offerings, soldOut, fitting, refusals, problems, notAllowed } = pool;
  const isRefused = refusals.length > 0;
  const facts = [
    nodeClass,
    `${count(types, 'type')} in ${count(offerings, 'offering')} on sale`,
    soldOut > 0 ? `${count(soldOut, 'offering')} not on sale` : '',
    fitting === null || isRefused ? '' : `${count(fitting, 'type')} ${fitting === 1 ? 'fits' : 'fit'} ${pod}`,
  ].filter(Boolean);
  const chosen = isRefused ? [] : pool.instanceTypes.filter(({ fits }) => fits !== false);
  const shown = isAll ? chosen : chosen.slice(0, SHOWN_TYPES);
  const more = chosen.length - shown.length;
  const moreNotAllowed = notAllowed.length - SHOWN_NOT_ALLOWED;
  return [
    `${style.bold(`nodepool/${nodePool}`)}  ${facts.join(', ')}\n`,
    ...problems.map((problem) => `  ${style.bad(style.cross)} ${problem}\n`),
    ...(isRefused ? [`  gives ${pod} no node: ${bin} explain pod ${pod}\n`] : []),
    ...refusals.flatMap((reason) => reasonLines(reason, 'NodePool', view)).map((line) => `${line}\n`),
    tableIn(view, columns(view), shown, '  '),
    more > 0 ? `  ${style.dim(`and ${count(more, 'dearer type')}: --all`)}\n` : '',
    view.wide ? '' : soldOutLine(chosen, view),
    ...notAllowed
      .slice(0, SHOWN_NOT_ALLOWED)
      .map(
        ({ instanceType, requirement }) =>
          `  ${style.warn(style.cross)} ${instanceType}: the pool asks for ${requirement}\n`,
      ),
    moreNotAllowed > 0 ? `  ${style.dim(`and ${count(moreNotAllowed, 'more type')} that it does not allow`)}\n` : '',
  ].join('');
}

const columns = (view: View): readonly Column<OfferedType>[] => [
  { title: 'TYPE', value: ({ instanceType }) => instanceType },
  { title: 'CPU', value: (type) => left(type, 'cpu') },
  { title: 'MEMORY', value: (type) => left(type, 'memory') },
  { title: 'ON-DEMAND', value: (type) => prices(type, 'on-demand', view) },
  { title: 'SPOT', value: (type) => prices(type, 'spot', view) },
  { title: 'ZONES', value: zonesText },
  { title: 'PODS', value: (type) => left(type, 'pods') },
  { title: 'RESERVED', value: reserved, wide: true },
  { title: 'ALSO', value: othersText, wide: true },
  { title: 'NOT ON SALE', value: (type) => soldOutWords(type, view).join(', ') || '-', wide: true },
];

function left({ allocatable }: OfferedType, resource: string): string {
  const quantity = allocatable[resource];
  return quantity === undefined ? '' : formatAmount(resource, parseQuantityMilli(quantity));
}

/** The lowest price on sale; with `-o wide` also the highest, where zones differ. */
function prices({ offerings }: OfferedType, capacityType: string, { wide }: View): string {
  const found = offerings
    .filter((offering) => offering.available && offering.capacityType === capacityType)
    .map(({ price }) => price);
  if (found.length === 0) return '-';
  const [least, most] = [formatHourly(Math.min(...found)), formatHourly(Math.max(...found))];
  return least === most || !wide ? least : `${least.replace('/h', '')}-${most.slice(1)}`;
}

/** Machines that reservations have left. */
function reserved({ offerings }: OfferedType): string {
  const lefts = offerings.flatMap(({ available, reservationsLeft }) =>
    available && reservationsLeft !== undefined ? [reservationsLeft] : [],
  );
  return lefts.length === 0 ? '-' : `${lefts.reduce((sum, n) => sum + n, 0)} left`;
}

/** `us-east-1a,b,c`: what the names have in common once. */
function zonesText({ offerings }: OfferedType): string {
  const zones = [...new Set(offerings.filter(({ available }) => available).map(({ zone }) => zone))].sort();
  const [first, ...others] = zones;
  if (first === undefined) return 'none';
  const stem = first.slice(0, -1);
  const isAlike = others.every((zone) => zone.slice(0, -1) === stem);
  return [first, ...(isAlike ? others.map((zone) => zone.slice(-1)) : others)].join(',');
}

function othersText({ allocatable }: OfferedType): string {
  // EC2's types name what they lack, with none of it.
  const others = Object.entries(allocatable).filter(
    ([resource, quantity]) => !USUAL.has(resource) && parseQuantityMilli(quantity) > 0,
  );
  return others.map(([resource, quantity]) => `${resource} ${quantity}`).join(', ') || '-';
}

/** What the pool may buy and nobody can now: of the cheapest types. */
function soldOutLine(types: readonly OfferedType[], view: View): string {
  const all = types.flatMap((type) => soldOutWords(type, view).map((words) => `${type.instanceType} ${words}`));
  if (all.length === 0) return '';
  const more = all.length - SHOWN_SOLD_OUT;
  const shown = all.slice(0, SHOWN_SOLD_OUT).join(', ');
  return `  ${view.style.warn('not on sale')}  ${shown}${more > 0 ? `, and ${more} more: -o wide` : ''}\n`;
}

function soldOutWords({ offerings }: OfferedType, { now }: View): readonly string[] {
  return offerings
    .filter(({ available }) => !available)
    .map(({ zone, capacityType, soldOutUntil }: OfferingFacts) =>
      soldOutUntil
        ? `${capacityType} ${zone} for ${formatAge(Date.parse(soldOutUntil) - now)}`
        : `${capacityType} ${zone}`,
    );
}
