/** Everything that is decided about a fleet, each thing on its own. */
import { noWorseCommands } from './decisions-agree.ts';
import { type DecidedCommand, JUDGED, type MethodDecision, type NodeDecision } from './disruption-decision.ts';

/** What no run of upstream's has decided like us. */
export function unanswered(questions: readonly Question[]): Question[] {
  return questions.filter(({ own, theirs }) => !theirs.some((t) => t.text === own.text));
}

interface Answer {
  readonly text: string;
  readonly commands?: readonly DecidedCommand[];
}

/** One thing that both sides have decided. */
export interface Question {
  readonly about: string;
  readonly own: Answer;
  readonly theirs: readonly Answer[];
}

/** Everything that is compared, each on its own: what upstream's runs say of it, and what we do. */
export function questions(ours: readonly MethodDecision[], runs: readonly (readonly MethodDecision[])[]): Question[] {
  return ours.flatMap((own, position) => {
    const theirs = runs.flatMap((run) => run[position] ?? []);
    const ask = (what: string, answer: (decision: MethodDecision) => Answer): Question => ({
      about: `${own.method} ${what}`,
      own: answer(own),
      theirs: theirs.map(answer),
    });
    const nodes = Object.keys(own.each).map((node) => ({
      about: `${own.method} node ${node}`,
      own: nodeAnswer(own.each[node]),
      theirs: theirs.flatMap(({ each }) => (each[node] ? [nodeAnswer(each[node])] : [])),
    }));
    return [
      ask('candidates', ({ candidates }) => ({ text: candidates.join(' ') })),
      ask('type', ({ consolidationType }) => ({ text: consolidationType })),
      ask('budgets', ({ budgets }) => ({ text: JSON.stringify(budgets) })),
      ask('events', ({ events }) => ({ text: events.join('\n') })),
      ask('command', ({ computed }) => ({ text: commandText(computed), commands: computed })),
      ask('approval', ({ approvals: told }) => ({ text: told.join('\n'), commands: [] })),
      ask('outcome', ({ computed, commands, rejected }) => ({
        text: `${commandText(computed)}\n=> ${commandText(commands)} ${rejected}`,
        commands,
      })),
      ...nodes,
    ];
  });
}

function commandText(commands: readonly DecidedCommand[]): string {
  return JSON.stringify(commands.map((c) => [c.decision, c.candidates, c.replacements, c.savings]));
}

function nodeAnswer(decision: NodeDecision | undefined): Answer {
  const commands = decision?.command ? [decision.command] : [];
  return { text: commands.length > 0 ? commandText(commands) : (decision?.events ?? []).join('\n'), commands };
}

/** Upstream's answer may have been chance: commands are, candidates and budgets never. */
export function isChance({ own }: Question): boolean {
  return own.commands !== undefined;
}

/**
 * Upstream takes pools in any order: what it would do with the node that we chose is what we do, but it always chose another
 * one.
 */
export function isMatterOfOrder(
  about: string,
  ours: readonly MethodDecision[],
  runs: readonly (readonly MethodDecision[])[],
): boolean {
  return ours.some(({ method, computed: [command] }, position) => {
    const node = command?.candidates[0];
    if (!command || !node || !JUDGED.has(method)) return false;
    const text = commandText([command]);
    const decisions = runs.flatMap((run) => run[position] ?? []);
    const wouldDo = decisions.some(({ each }) => nodeAnswer(each[node]).text === text);
    const did = decisions.some(({ computed }) => commandText(computed) === text);
    return wouldDo && !did && [`${method} command`, `${method} approval`, `${method} outcome`].includes(about);
  });
}

/** Some command on both sides, and ours is as good. */
export function isEquivalent({ own, theirs }: Question): boolean {
  const { commands = [] } = own;
  return commands.length > 0 && theirs.some((other) => noWorseCommands(commands, other.commands ?? []));
}
