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
    drifted.length > 0 ? `${style.bold('Drifted from it')}\n${tableIn(view, drifts(view.now), drifted, '  ')}` : '',
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

const drifts = (now: number): readonly Column<DriftedClaim>[] => [
  { title: 'NODECLAIM', value: ({ nodeClaim }) => nodeClaim },
  { title: 'NODEPOOL', value: ({ nodePool }) => nodePool ?? '-' },
  { title: 'REASON', value: ({ reason }) => reason },
  { title: 'SINCE', value: ({ since }) => (since ? ageOf(since, now) : 'not told yet') },
  { title: 'WHAT', value: ({ what }) => what ?? '-' },
];
