import type { NodeClaimExplanation } from '../../explain/node-claim-explanation.ts';
import { ageOf, formatAge } from '../age.ts';
import { count, formatHourly } from '../amounts.ts';
import { conditionsText, eventsText } from './conditions-text.ts';
import { commandText } from './disruption-text.ts';
import { leavingText } from './leaving-text.ts';
import { listed } from './listed.ts';
import type { View } from './view.ts';

/** A NodeClaim's life so far, where it is stuck, and what becomes of it. */
export function nodeClaimText(report: NodeClaimExplanation, view: View): string {
  const { style } = view;
  const facts = [
    report.nodePool === null ? 'no NodePool' : `NodePool ${report.nodePool}`,
    report.node === null ? 'no node yet' : `node/${report.node}`,
    report.instanceType,
    report.capacityType,
    report.zone,
    report.price === null ? null : formatHourly(report.price),
    report.deletionTimestamp ? `being deleted for ${ageOf(report.deletionTimestamp, view.now)}` : null,
  ].filter(Boolean);
  const parts = [
    `${style.bold(`nodeclaim/${report.name}`)}  ${facts.join(', ')}\n${factLines(report, view)}`,
    stuckText(report, view),
    `${style.bold('Conditions')}\n${conditionsText(report.conditions, view)}`,
    report.leaving ? leavingText(report.leaving, view) : futureText(report, view),
    eventsText(report.events, view),
  ];
  return parts.filter(Boolean).join('\n');
}

function factLines(
  { notes, drift = [], stages, pods, expiresAt, leaving }: NodeClaimExplanation,
  { style, now }: View,
): string {
  const steps = stages.map(({ stage, seconds }) => `${stage.toLowerCase()} after ${formatAge(seconds * 1000)}`);
  return [
    ...notes.map((note) => `  ${style.bullet} ${note}\n`),
    ...drift.map(
      ({ field, from, to }) =>
        `  ${style.bad(style.cross)} drifted: ${field}: it has ${from ?? 'none'}, its NodePool asks for ${to ?? 'none'}\n`,
    ),
    ...(steps.length > 0 ? [`  steps    ${steps.join(', ')}\n`] : []),
    ...(pods.length > 0 ? [`  pods     ${pods.length}: ${listed(pods)}\n`] : []),
    ...(leaving ? [] : [`  expires  ${expiryText(expiresAt, now)}\n`]),
  ].join('');
}

function expiryText(at: string | null, now: number): string {
  if (at === null) return 'never';
  const left = Date.parse(at) - now;
  return `in ${formatAge(left)}, at ${at}; budgets don't hold it back`;
}

function stuckText({ stuck, candidates }: NodeClaimExplanation, { style, now }: View): string {
  if (!stuck) return '';
  const { stage, since, waitsFor, givenUpAt, next } = stuck;
  const lines = [
    ...waitsFor.map((line) => `  ${style.bad(style.cross)} ${line}\n`),
    ...(candidates
      ? [
          `  may become  ${count(candidates.types, 'instance type')}: ${candidates.cheapest.map(({ name, price }) => `${name} ${formatHourly(price)}`).join(', ')}\n`,
        ]
      : []),
    ...(givenUpAt ? [`  given up    ${givenUpText(givenUpAt, now)}\n`] : []),
    `  look at     ${next}\n`,
  ];
  const age = since ? `, for ${ageOf(since, now)}` : '';
  return `${style.bold(`Not ${stage.toLowerCase()} yet${age}`)}\n${lines.join('')}`;
}

function givenUpText(at: string, now: number): string {
  const left = Date.parse(at) - now;
  return left > 0
    ? `in ${formatAge(left)}: it is deleted then, and its pods get another`
    : `since ${at}: it is being deleted`;
}

function futureText({ node, command, blockers }: NodeClaimExplanation, view: View): string {
  if (command) return `${view.style.bold('Consolidation would')}\n${commandText(command, view)}`;
  if (blockers.length === 0) return '';
  const { style, bin } = view;
  const lines = blockers.map(({ code, message, why }) => `  ${style.warn(code)}  ${why ?? message.trimEnd()}\n`);
  return `${style.bold('Its node stays, because')}\n${lines.join('')}  ${style.dim(`more: ${bin} explain node ${node}`)}\n`;
}
