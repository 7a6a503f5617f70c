import type { EditReport } from '../../explain/edit.ts';
import type { Fix } from '../../explain/find-fixes.ts';
import type { Offer } from '../../explain/offers.ts';
import type { PodExplanation } from '../../explain/pod-explanation.ts';
import type { TargetFailure, TypeVerdict } from '../../scheduling/types.ts';
import { ageOf } from '../age.ts';
import { count, formatHourly } from '../amounts.ts';
import type { Column } from '../table.ts';
import { reasonLines, reasonSentence } from './reason-text.ts';
import { shortMessage } from './short-message.ts';
import { tableIn, type View } from './view.ts';

/** Pools shown in full, and names in a folded line. */
const SHOWN = 5;
/** Characters that names take of a line. */
const NAMES_WIDTH = 50;
/** Other offers of a new node. */
const DEARER = 2;

export function podText(report: PodExplanation, view: View): string {
  const { style } = view;
  const lines = [`${style.bold(`pod/${report.pod}`)}  ${headline(report, view)}`];
  if (report.alike) lines.push(`  and ${count(report.alike.length, 'pod')} of the same owner: ${listed(report.alike)}`);
  if (report.note) lines.push(`  ${style.dim(report.note)}`);
  for (const warning of report.warnings ?? []) lines.push(`  ${style.warn(warning)}`);
  for (const next of nextSteps(report, view)) lines.push(`  look at: ${next}`);
  lines.push(...nodeLines(report, view), ...claimLines(report, view));
  if (report.error && report.targets.length === 0)
    lines.push(`  ${report.error.code}: ${shortMessage(report.error.message)}`);
  if (report.targets.length > 0) lines.push('', ...targetsLines(report, view));
  lines.push(...typeLines(report, view));
  if (report.fixes.length > 0) {
    lines.push('', style.bold(`Would fit with ${report.fixes.length > 1 ? 'any one of these' : 'this'} (tried)`));
    for (const fix of report.fixes) lines.push(...fixLines(fix, view));
  } else if (report.state === 'NoPlace' && report.targets.length > 0) {
    lines.push('', 'No edit of pod or pool that was tried helps.');
  }
  lines.push(...eventLines(report, view));
  if (report.scheduler) lines.push('', style.bold('The scheduler says'), `  ${report.scheduler}`);
  return `${lines.join('\n')}\n`;
}

function nextSteps({ next, targets }: PodExplanation, { bin }: View): string[] {
  const notReady = targets.filter(({ reasons }) => reasons[0]?.code === 'NodePoolNotReady').slice(0, 1);
  return [...(next ? [next] : []), ...notReady.map(({ name }) => `${bin} explain nodepool ${name}`)];
}

/** In full where no place is the answer; otherwise only what was passed over. */
function targetsLines({ state, targets, pools: asked }: PodExplanation, view: View): string[] {
  const pools = targets.filter(({ kind }) => kind === 'NodePool');
  const nodes = targets.filter(({ kind }) => kind !== 'NodePool');
  if (state !== 'NoPlace' && asked) {
    const full = pools.flatMap((target) => targetLines(target, view));
    return [view.style.bold('Not elsewhere'), ...full, ...foldedLines(nodes)];
  }
  if (state !== 'NoPlace') return [view.style.bold('Not elsewhere'), ...foldedLines(pools), ...foldedLines(nodes)];
  return [
    view.style.bold('Why not, nearest miss first'),
    ...pools.slice(0, SHOWN).flatMap((target) => targetLines(target, view)),
    ...foldedLines(pools.slice(SHOWN)),
    ...foldedLines(nodes),
  ];
}

/** What Karpenter says, or would say; once, if it has said just that. */
function eventLines({ event, lastEvent }: PodExplanation, { style, now }: View): string[] {
  const ago = lastEvent?.time ? `, ${ageOf(lastEvent.time, now)} ago` : '';
  const same = event !== undefined && event.message === lastEvent?.message;
  return [
    ...(event
      ? ['', style.bold(`Karpenter's event ${event.reason} says${same ? ago : ''}`), `  ${event.message}`]
      : []),
    ...(lastEvent && !same
      ? ['', style.bold(`Karpenter last said${ago}`), `  ${lastEvent.reason}: ${shortMessage(lastEvent.message)}`]
      : []),
  ];
}

function headline(report: PodExplanation, { style }: View): string {
  const node = report.node ? `node/${report.node}` : '';
  switch (report.state) {
    case 'Bound':
      return style.good(`runs on ${node}`);
    case 'Ended':
      return 'has ended';
    case 'Leaving':
      return node ? `is being deleted from ${node}` : 'is being deleted';
    case 'Nominated':
      return `waits for room on ${node}`;
    case 'ExistingNode':
      return style.good(`fits on ${node}`);
    case 'NewNode':
      return style.good('gets a new node');
    case 'NotOurs':
      return 'is nothing that Karpenter acts on';
    case 'NoPlace':
      return style.bad('fits nowhere');
  }
}

function nodeLines({ state, node, nodeFacts, protected: kept, again }: PodExplanation, view: View): string[] {
  const lines: string[] = [];
  if (nodeFacts) {
    const { nodePool, instanceType, capacityType, zone, price } = nodeFacts;
    const pool = nodePool ? `NodePool ${nodePool}` : 'no NodePool';
    const facts = [pool, instanceType, capacityType, zone, price === null ? null : formatHourly(price)];
    lines.push(`  ${facts.filter(Boolean).join(', ')}`);
  }
  if (kept) lines.push(`  ${view.style.warn(`may not be moved now: ${kept}`)}`);
  if (state !== 'Bound' || again === undefined) return lines;
  return [...lines, `  placed again, it would ${againText(again, node)}`];
}

function againText(again: NonNullable<PodExplanation['again']> | null, node: string | undefined): string {
  if (again === null) return 'fit nowhere';
  if (again.node !== undefined) return again.node === node ? 'stay where it is' : `go to node/${again.node}`;
  return `get a new node of NodePool ${again.nodePool}`;
}

function claimLines(report: PodExplanation, { style }: View): string[] {
  const claim = report.newNodeClaim;
  if (!claim) return [];
  const [first, ...others] = claim.instanceTypes;
  const alike = count(others.length, 'other type');
  const more = others.length > 0 ? `, or ${others.length > 1 ? 'one of ' : ''}${alike}` : '';
  const [, ...dearer] = report.offers ?? [];
  return [
    `  ${style.arrow} NodePool ${claim.nodePool}: ${first} at ${formatHourly(claim.cheapestPrice)}${more}`,
    ...(claim.pods.length > 1 ? [`    together with ${count(claim.pods.length - 1, 'other pod')}`] : []),
    ...dearer.slice(0, DEARER).map((offer) => `    dearer: ${offerText(offer)}`),
    ...(report.otherPools ?? []).map(
      ({ nodePool, offer, why }) => `    NodePool ${nodePool} would take it too, with ${offerText(offer)}: ${why}`,
    ),
  ];
}

function offerText({ instanceType, capacityType, zone, price }: Offer): string {
  return `${instanceType} ${capacityType} in ${zone} ${formatHourly(price)}`;
}

const KINDS: Readonly<Record<TargetFailure['kind'], string>> = {
  NodePool: 'nodepool',
  Node: 'node',
  NodeClaim: 'nodeclaim',
};

function targetLines({ kind, name, reasons }: TargetFailure, view: View): string[] {
  return [`  ${KINDS[kind]}/${name}`, ...reasons.flatMap((reason) => reasonLines(reason, kind, view))];
}

const TYPES: readonly Column<TypeVerdict>[] = [
  { title: 'INSTANCE TYPE', value: ({ instanceType }) => instanceType },
  { title: 'PRICE', value: ({ offer }) => (offer ? formatHourly(offer.price) : '-') },
  {
    title: 'VERDICT',
    value: ({ refusedBy, detail, offer }) => {
      if (refusedBy === undefined) return offer ? `would hold it, ${offer.capacityType}` : 'would hold it';
      return refusalText(refusedBy, detail);
    },
  },
];

function refusalText(refusedBy: string, detail = ''): string {
  switch (refusedBy) {
    case 'size':
      return `too small: ${detail}`;
    case 'limits':
      return 'exceeds the limits of the pool';
    case 'on sale':
      return 'sold out';
    default:
      return `not ${refusedBy} ${detail}`;
  }
}

function typeLines({ instanceTypes = [] }: PodExplanation, view: View): string[] {
  return instanceTypes.flatMap(({ nodePool, types }) => {
    const holding = types.filter(({ refusedBy }) => refusedBy === undefined).length;
    const heading = `Instance types of nodepool/${nodePool}: ${holding} of ${types.length} would hold it`;
    return ['', view.style.bold(heading), tableIn(view, TYPES, types, '  ').trimEnd()];
  });
}

/** Many targets in a line for each first cause. */
function foldedLines(targets: readonly TargetFailure[]): string[] {
  const byCause = Map.groupBy(targets, ({ kind, reasons }) => `${KINDS[kind]} ${reasons[0]?.code ?? 'unknown'}`);
  return [...byCause.values()].map((group) => {
    const [first] = group;
    const names = listed(group.map(({ name }) => name));
    const reason = first?.reasons[0];
    if (!first || !reason) return '';
    if (group.length > 1) return `  ${KINDS[first.kind]}s ${names}: ${reason.code}`;
    return `  ${KINDS[first.kind]}/${first.name}: ${reason.code}, ${reasonSentence(reason, first.kind)}`;
  });
}

/** As many names as a line has room for, and at least one. */
function listed(names: readonly string[]): string {
  let shown = 1;
  while (shown < Math.min(names.length, SHOWN) && names.slice(0, shown + 1).join(', ').length <= NAMES_WIDTH) shown++;
  const more = names.length - shown;
  return names.slice(0, shown).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function fixLines({ nodePool, node, edits, displaces = [], drifts = 0 }: Fix, view: View): string[] {
  const { style } = view;
  const touchesPod = edits.some(({ object }) => object.startsWith('pod/'));
  const [first] = displaces;
  return [
    ...edits.map((edit, i) => `  ${i === 0 ? style.bullet : ' '} ${editText(edit, view)}`),
    ...(touchesPod ? [`      ${style.dim(`then ${node ? `node/${node}` : `NodePool ${nodePool}`} takes it`)}`] : []),
    ...(drifts > 0
      ? [`      ${style.warn(`but ${count(drifts, 'node')} of the pool would drift and be replaced`)}`]
      : []),
    ...(first ? [`      ${style.warn(`but pod/${first}${others(displaces)} would lose its place`)}`] : []),
  ];
}

function others({ length }: readonly string[]): string {
  return length > 1 ? ` and ${length - 1} more` : '';
}

function editText({ object, path, from, to }: EditReport, { style }: View): string {
  if (from === '') return `${object}  ${path}: add ${style.good(to)}`;
  if (to === '') return `${object}  ${path}: remove ${style.warn(from)}`;
  return `${object}  ${path}: ${style.warn(from)} ${style.arrow} ${style.good(to)}`;
}
