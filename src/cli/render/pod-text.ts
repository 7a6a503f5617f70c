import type { EditReport } from '../../explain/edit.ts';
import type { Fix } from '../../explain/find-fixes.ts';
import type { PodExplanation } from '../../explain/pod-explanation.ts';
import type { TargetFailure } from '../../scheduling/types.ts';
import { count, formatHourly } from '../amounts.ts';
import { reasonLines } from './reason-text.ts';
import { shortMessage } from './short-message.ts';
import type { View } from './view.ts';

/** Pools shown in full, and names in a folded line. */
const SHOWN = 5;

export function podText(report: PodExplanation, view: View): string {
  const { style } = view;
  const lines = [`${style.bold(`pod/${report.pod}`)}  ${headline(report, view)}`];
  if (report.note) lines.push(`  ${style.dim(report.note)}`);
  if (report.newNodeClaim) lines.push(...claimLines(report, view));
  if (report.error && report.targets.length === 0)
    lines.push(`  ${report.error.code}: ${shortMessage(report.error.message)}`);
  if (report.targets.length > 0) {
    lines.push('', style.bold('Why not, nearest miss first'));
    const pools = report.targets.filter(({ kind }) => kind === 'NodePool');
    const others = report.targets.filter(({ kind }) => kind !== 'NodePool');
    for (const target of pools.slice(0, SHOWN)) lines.push(...targetLines(target, view));
    lines.push(...foldedLines(pools.slice(SHOWN)), ...foldedLines(others));
  }
  if (report.fixes.length > 0) {
    lines.push('', style.bold(`Would fit with ${report.fixes.length > 1 ? 'any one of these' : 'this'} (tried)`));
    for (const fix of report.fixes) lines.push(...fixLines(fix, view));
  }
  if (report.event)
    lines.push('', style.bold(`Karpenter's event ${report.event.reason} says`), `  ${report.event.message}`);
  if (report.scheduler) lines.push('', style.bold('The scheduler says'), `  ${report.scheduler}`);
  return `${lines.join('\n')}\n`;
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

function claimLines(report: PodExplanation, { style }: View): string[] {
  const claim = report.newNodeClaim;
  if (!claim) return [];
  const [first, ...others] = claim.instanceTypes;
  const more = others.length > 0 ? `, or one of ${count(others.length, 'other type')}` : '';
  return [
    `  ${style.arrow} NodePool ${claim.nodePool}: ${first} at ${formatHourly(claim.cheapestPrice)}${more}`,
    ...(claim.pods.length > 1 ? [`    together with ${count(claim.pods.length - 1, 'other pod')}`] : []),
  ];
}

const KINDS: Readonly<Record<TargetFailure['kind'], string>> = {
  NodePool: 'nodepool',
  Node: 'node',
  NodeClaim: 'nodeclaim',
};

function targetLines({ kind, name, reasons }: TargetFailure, view: View): string[] {
  return [`  ${KINDS[kind]}/${name}`, ...reasons.flatMap((reason) => reasonLines(reason, kind, view))];
}

/** Many targets in a line for each first cause. */
function foldedLines(targets: readonly TargetFailure[]): string[] {
  const byCause = Map.groupBy(targets, ({ kind, reasons }) => `${KINDS[kind]} ${reasons[0]?.code ?? 'unknown'}`);
  return [...byCause.values()].map((group) => {
    const [first] = group;
    const names = group.slice(0, SHOWN).map(({ name }) => name);
    const more = group.length > SHOWN ? ` and ${group.length - SHOWN} more` : '';
    const reason = first?.reasons[0];
    const what = first ? KINDS[first.kind] : '';
    return `  ${what}s ${names.join(', ')}${more}: ${reason?.code ?? 'unknown'}${group.length === 1 && reason ? `, ${shortMessage(reason.message)}` : ''}`;
  });
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
