import type { MethodVerdict } from '../../explain/method-verdicts.ts';
import type { NodeExplanation } from '../../explain/node-explanation.ts';
import type { PodMove } from '../../explain/node-removal.ts';
import { parseQuantityMilli } from '../../kube/quantity.ts';
import { count, formatAmount, formatHourly, formatMonthly, formatPercent } from '../amounts.ts';
import type { Column } from '../table.ts';
import { commandText } from './disruption-text.ts';
import { leavingText } from './leaving-text.ts';
import { topologySentences } from './reason-text.ts';
import { shortMessage } from './short-message.ts';
import { tableIn, type View } from './view.ts';

export function nodeText(report: NodeExplanation, view: View): string {
  const { style } = view;
  const facts = [
    report.nodePool ? `NodePool ${report.nodePool}` : 'no NodePool',
    report.instanceType,
    report.capacityType,
    report.zone,
    report.price === null ? null : formatHourly(report.price),
  ].filter(Boolean);
  const parts = [
    `${style.bold(`node/${report.node}`)}  ${facts.join(', ')}\n  requested ${usage('cpu', report)}, ${usage('memory', report)}\n${report.notReady ? `  ${style.warn(`not ready: ${report.notReady}`)}\n` : ''}`,
    report.leaving ? leavingText(report.leaving, view) : verdictText(report, view),
    `${style.bold('What each method says')}\n${tableIn(view, methodColumns(report), report.methods, '  ')}`,
    removalText(report, view),
  ];
  return parts.filter(Boolean).join('\n');
}

function verdictText(report: NodeExplanation, view: View): string {
  const { style } = view;
  return report.command
    ? `${style.bold('Had it the turn, the controller would')}\n${commandText(report.command, view)}`
    : `${style.bold('It stays, because')}\n${blockerLines(report, view)}`;
}

/** What is listed as a reason above is not said again. */
function methodColumns({ blockers: listed, leaving }: NodeExplanation): Column<MethodVerdict>[] {
  const above = new Set(leaving ? [] : listed.map(({ code }) => code));
  return [
    { title: 'METHOD', value: ({ method }) => method },
    { title: 'CANDIDATE', value: ({ candidate }) => (candidate ? 'yes' : 'no') },
    {
      title: 'VERDICT',
      value: ({ command, blockers: [first] }) => {
        if (command) return command.decision;
        if (!first) return 'nothing to gain';
        return above.has(first.code)
          ? `${first.code}, see above`
          : `${first.code}, ${shortMessage(first.why ?? first.message)}`;
      },
    },
  ];
}

function usage(resource: string, { requested, allocatable }: NodeExplanation): string {
  const used = parseQuantityMilli(requested[resource] ?? '0');
  const all = parseQuantityMilli(allocatable[resource] ?? '0');
  return `${resource} ${formatAmount(resource, used)}/${formatAmount(resource, all)} (${formatPercent(used, all)})`;
}

function blockerLines({ blockers, couldSave }: NodeExplanation, { style }: View): string {
  if (blockers.length === 0) return '  nothing found that keeps it, and nothing to gain\n';
  const lines = blockers
    .map(({ code, message, objects, event, why }) => {
      const reason = why ? `\n        ${why}` : '';
      const about = objects.length > 0 ? `\n        ${style.dim(objects.join(', '))}` : '';
      // The message is already in the event's words.
      const said = event ? `\n        ${style.dim(`Karpenter says so in its event ${event}`)}` : '';
      return `  ${style.cross} ${style.warn(code)}  ${message}${reason}${about}${said}\n`;
    })
    .join('');
  return couldSave && couldSave.hourly > 0
    ? `${lines}  free of that, it could go or be replaced: saves ${formatHourly(couldSave.hourly)}, ${formatMonthly(couldSave.hourly)}\n`
    : lines;
}

const TO: Readonly<Record<PodMove['to'], string>> = {
  node: 'node',
  newNode: 'a new node',
  nowhere: 'nowhere',
  staysBehind: '-',
};

function removalText({ removal }: NodeExplanation, view: View): string {
  if (removal.pods.length === 0) return 'No pod runs on it.\n';
  const columns: Column<PodMove>[] = [
    { title: 'POD', value: ({ pod }) => pod },
    { title: 'WOULD GO TO', value: ({ to }) => TO[to] },
    { title: 'EVICTION', value: (move) => (move.protected ? view.style.warn(move.protected) : 'allowed') },
    { title: 'DETAIL', value: ({ detail }) => shortMessage(detail) },
  ];
  const { newNodesPrice, savings } = removal;
  const price = newNodesPrice > 0 ? `, its pods need new nodes at ${formatHourly(newNodesPrice)}` : '';
  const saved =
    savings === null
      ? ''
      : savings >= 0
        ? `: saves ${formatHourly(savings)}`
        : `: costs ${formatHourly(-savings)} more`;
  return `${view.style.bold(`If it went away${price}${saved}`)}\n${tableIn(view, columns, removal.pods, '  ')}${noRoomLines(removal.pods)}${topologyLines(removal.pods)}${preferenceLine(removal)}`;
}

/** Why pods that need a new node don't go to one that is there; pods with the same reasons in one line. */
function noRoomLines(pods: readonly PodMove[]): string {
  const refused = pods.filter(({ noRoom = [] }) => noRoom.length > 0);
  const byReasons = Map.groupBy(refused, ({ noRoom = [] }) =>
    noRoom.map(({ code, nodes }) => `${code} on ${count(nodes, 'node')}`).join(', '),
  );
  return [...byReasons]
    .map(([reasons, group]) => {
      const [first, ...others] = group;
      const more = others.length > 0 ? ` and ${count(others.length, 'other pod')}` : '';
      return `  no room for ${first?.pod}${more} on nodes that are there: ${reasons}\n`;
    })
    .join('');
}

function preferenceLine({ withoutPreferences }: NodeExplanation['removal']): string {
  if (!withoutPreferences) return '';
  const { rules, newNodes, newNodesPrice } = withoutPreferences;
  const enough = newNodes > 0 ? `${count(newNodes, 'new node')} at ${formatHourly(newNodesPrice)}` : 'no new node';
  return `  were it not for what its pods prefer (${rules.join(', ')}), ${enough} would do\n`;
}

/** What the rules that leave a pod nowhere have counted. */
function topologyLines(pods: readonly PodMove[]): string {
  return pods
    .flatMap(({ pod, topology = [] }) =>
      topology.flatMap((facts) => {
        const [first, ...rest] = topologySentences(facts);
        return [`  ${pod}  ${facts.rule}  ${first}`, ...rest.map((line) => `      ${line}`)];
      }),
    )
    .map((line) => `${line}\n`)
    .join('');
}
