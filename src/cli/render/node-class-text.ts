import type { DriftedClaim, NodeClassExplanation } from '../../explain/node-class-explanation.ts';
import { ageOf, formatAge } from '../age.ts';
import { count } from '../amounts.ts';
import type { Column } from '../table.ts';
import { conditionsText, eventsText } from './conditions-text.ts';
import { ec2ClassLines, ec2ClassTables } from './ec2-class-text.ts';
import { tableIn, type View } from './view.ts';

/** Whether nodes can be launched with a class, with what, who uses it, and which nodes have drifted from it. */
export function nodeClassText(report: NodeClassExplanation, view: View): string {
  const { style } = view;
  const { nodeClass, name, conditions, nodes, nodeClaims, ec2, drifted, events, deletionTimestamp } = report;
  const facts = [
    readyText(report, view),
    nodesText(nodes, nodeClaims),
    deletionTimestamp ? `being deleted for ${ageOf(deletionTimestamp, view.now)}` : '',
  ].filter(Boolean);
  const parts = [
    `${style.bold(`${nodeClass.toLowerCase()}/${name}`)}  ${facts.join(', ')}\n${factLines(report, view)}`,
    // Nothing looks at classes of the fake cloud.
    conditions.length > 0 || ec2 ? `${style.bold('Conditions')}\n${conditionsText(conditions, view)}` : '',
    ...(ec2 ? ec2ClassTables(ec2, view) : []),
    soldOutText(report, view),
    driftText(drifted, view),
    eventsText(events, view),
  ];
  return parts.filter(Boolean).join('\n');
}

function readyText({ conditions }: NodeClassExplanation, { style }: View): string {
  const ready = conditions.find(({ type }) => type === 'Ready')?.status;
  if (ready === undefined) return '';
  return ready === 'True' ? style.good('ready') : style.bad('not ready');
}

function nodesText(nodes: number, nodeClaims: number): string {
  const more = nodeClaims - nodes;
  return `${count(nodes, 'node')}${more > 0 ? ` and ${count(more, 'claim')} without one` : ''}`;
}

function factLines({ problems, pools, canBuy, ec2, nodeRegistrationDelay }: NodeClassExplanation, view: View): string {
  const { style } = view;
  const used = pools.map(
    ({ nodePool, ready, nodes, nodeClaims }) =>
      `nodepool/${nodePool} (${ready ? '' : 'not ready, '}${nodesText(nodes, nodeClaims)})`,
  );
  return [
    ...problems.map((problem) => `  ${style.bad(style.cross)} ${problem}\n`),
    `  used by  ${used.join(', ') || 'no pool'}\n`,
    ...(canBuy && canBuy.types > 0
      ? [`  can buy  ${count(canBuy.types, 'type')} in ${count(canBuy.offerings, 'offering')}\n`]
      : []),
    ...(nodeRegistrationDelay === undefined ? [] : [`  delay    ${nodeRegistrationDelay} until a node appears\n`]),
    ...(ec2 ? ec2ClassLines(ec2) : []),
  ].join('');
}

function soldOutText({ soldOut }: NodeClassExplanation, view: View): string {
  const columns: readonly Column<NodeClassExplanation['soldOut'][number]>[] = [
    { title: 'TYPE/ZONE/CAPACITY TYPE', value: ({ offering }) => offering },
    { title: 'TRIED AGAIN', value: ({ until }) => (until ? `in ${formatAge(Date.parse(until) - view.now)}` : 'never') },
  ];
  return soldOut.length > 0 ? `${view.style.bold('Sold out')}\n${tableIn(view, columns, soldOut, '  ')}` : '';
}

/** Drifted claims shown, unless it may be wide. */
const SHOWN_DRIFTED = 10;

function driftText(drifted: readonly DriftedClaim[], view: View): string {
  if (drifted.length === 0) return '';
  const shown = view.wide ? drifted : drifted.slice(0, SHOWN_DRIFTED);
  const more = drifted.length - shown.length;
  const lines = shown.map(({ nodeClaim, nodePool, reason, since, what }) => {
    const age = since ? ` for ${ageOf(since, view.now)}` : ', which the controller has not told yet';
    const pool = nodePool === null ? '' : `, nodepool/${nodePool}`;
    return `  nodeclaim/${nodeClaim}  ${reason}${age}${pool}\n${what === null ? '' : `      ${what}\n`}`;
  });
  return [
    `${view.style.bold('Drifted from it')}\n`,
    ...lines,
    more > 0 ? `  ${view.style.dim(`and ${more} more: -o wide`)}\n` : '',
  ].join('');
}
