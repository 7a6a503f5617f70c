import {
  type Blocker,
  type Command,
  METHOD_NAMES,
  type MethodName,
  type MethodResult,
} from '../../src/disruption/index.ts';
import { cheapestPrice, type PlannedNodeClaim } from '../../src/scheduling/index.ts';
import { stateNodeName } from '../../src/scheduling/state-node.ts';
import type { UpstreamClaim } from './oracle.ts';

/** What one disruption method decided, in a form in which two decisions can be compared. */
export interface MethodDecision {
  readonly method: string;
  readonly consolidationType: string;
  readonly candidates: readonly string[];
  readonly budgets: Readonly<Record<string, number>>;
  /** Before they rest and are looked at again. */
  readonly computed: readonly DecidedCommand[];
  /** What is left of them then. */
  readonly commands: readonly DecidedCommand[];
  /** Why nothing is. */
  readonly rejected: string;
  /** `object reason message` of the events about nodes that are no candidates, and about pools; sorted. */
  readonly events: readonly string[];
  /** The events that tell how Balanced pools rate the command, of nodes and pools; sorted. */
  readonly approvals: readonly string[];
  /** Of Drift and SingleNodeConsolidation: what comes of each candidate on its own. */
  readonly each: Readonly<Record<string, NodeDecision>>;
}

export interface NodeDecision {
  readonly command: DecidedCommand | undefined;
  readonly events: readonly string[];
}

export interface DecidedCommand {
  readonly decision: string;
  readonly candidates: readonly string[];
  /** Instance types and requirements of each replacement. */
  readonly replacements: readonly string[];
  /** Of the replacements' cheapest offerings, summed. */
  readonly price: number;
  /** Per hour, to nine digits. */
  readonly savings: string;
}

interface UpstreamCommand {
  readonly decision: string;
  readonly candidates: readonly string[];
  readonly replacements?: readonly UpstreamClaim[];
  readonly savings: number;
}

interface UpstreamEvent {
  readonly object: string;
  readonly reason: string;
  readonly message: string;
}

/** An answer of `oracle disrupt`. */
export interface UpstreamDisruption {
  readonly methods: readonly {
    readonly method: string;
    readonly consolidationType?: string;
    readonly candidates: readonly string[] | null;
    readonly budgets: Readonly<Record<string, number>>;
    readonly commands: readonly UpstreamCommand[] | null;
    readonly computed?: UpstreamCommand;
    readonly rejected?: string;
    readonly events?: readonly UpstreamEvent[];
    readonly each?: Readonly<
      Record<string, { readonly command?: UpstreamCommand; readonly events?: readonly UpstreamEvent[] }>
    >;
    readonly error?: string;
    readonly millis: number;
  }[];
}

/** Methods whose candidates are also judged one by one. */
export const JUDGED: ReadonlySet<string> = new Set<MethodName>(['Drift', 'SingleNodeConsolidation']);

const LEFT_OUT: ReadonlySet<string> = new Set(['kubernetes.io/hostname', 'node.kubernetes.io/instance-type']);
const TOLD: ReadonlySet<string> = new Set(['DisruptionBlocked', 'Unconsolidatable']);

function sortedBudgets(budgets: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(budgets).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Our answer as far as it doesn't take another look. */
export function ourMethod(
  result: MethodResult,
  wellKnown: ReadonlySet<string>,
): Pick<MethodDecision, 'method' | 'consolidationType' | 'candidates' | 'budgets' | 'commands'> {
  return {
    method: result.method,
    consolidationType: result.consolidationType,
    candidates: result.candidates,
    budgets: sortedBudgets(result.budgets),
    commands: result.commands.map((command) => ourCommand(command, wellKnown)),
  };
}

export function ourCommand(command: Command, wellKnown: ReadonlySet<string>): DecidedCommand {
  const price = ({ instanceTypes: [first], requirements }: PlannedNodeClaim): number =>
    first ? cheapestPrice(first, requirements, wellKnown) : 0;
  return {
    decision: command.decision,
    candidates: command.candidates.map(stateNodeName).sort(),
    replacements: command.replacements.map(({ instanceTypes, requirements }) => {
      const rules = [...requirements]
        .filter(({ key }) => !LEFT_OUT.has(key))
        .map(String)
        .sort();
      return `${instanceTypes.map((type) => type.name).join(' ')} | ${rules.join(', ')}`;
    }),
    price: command.replacements.reduce((sum, claim) => sum + price(claim), 0),
    savings: dollars(command.savings),
  };
}

/** The events that upstream publishes for our blockers of one object. */
export function ourEvents(object: string, blockers: readonly Blocker[]): readonly string[] {
  return ordered(blockers.flatMap(({ event, message }) => (event ? [eventText(object, event, message)] : [])));
}

export function upstreamMethods(answer: UpstreamDisruption): MethodDecision[] {
  return answer.methods.map((result, position) => {
    const candidates = new Set(result.candidates ?? []);
    const events = (result.events ?? []).filter(({ object }) => !candidates.has(object.slice(object.indexOf('/') + 1)));
    const commands = (result.commands ?? []).map(upstreamCommand);
    return {
      method: METHOD_NAMES[position] ?? '',
      consolidationType: result.consolidationType ?? '',
      candidates: result.candidates ?? [],
      budgets: sortedBudgets(result.budgets),
      computed: result.computed ? [upstreamCommand(result.computed)] : commands,
      commands,
      rejected: withoutOrder(result.rejected ?? ''),
      events: upstreamEvents(events),
      approvals: ordered(
        (result.events ?? []).flatMap(({ object, reason, message }) =>
          reason === 'ConsolidationApproved' && !object.startsWith('NodeClaim/') ? [`${object} ${message}`] : [],
        ),
      ),
      each: Object.fromEntries(
        Object.entries(result.each ?? {}).map(([node, { command, events: told = [] }]) => [
          node,
          {
            command: command ? upstreamCommand(command) : undefined,
            events: upstreamEvents(told.filter(({ object }) => object === `Node/${node}`)),
          },
        ]),
      ),
    };
  });
}

function upstreamCommand({ decision, candidates, replacements = [], savings }: UpstreamCommand): DecidedCommand {
  return {
    decision,
    candidates,
    replacements: replacements.map(
      ({ instanceTypes, requirements }) => `${(instanceTypes ?? []).join(' ')} | ${(requirements ?? []).join(', ')}`,
    ),
    price: replacements.reduce((sum, claim) => sum + claim.cheapestPrice, 0),
    savings: dollars(savings),
  };
}

function upstreamEvents(events: readonly UpstreamEvent[]): readonly string[] {
  const known = events.filter(({ reason }) => TOLD.has(reason));
  return ordered(known.map(({ object, reason, message }) => eventText(object, reason, message)));
}

export function eventText(object: string, reason: string, message: string): string {
  return `${object} ${reason} ${withoutOrder(message)}`;
}

/**
 * Of pods without a place only who they are: the packer's comparison has their errors. They come in no order, and only five
 * of them.
 */
export function withoutOrder(message: string): string {
  const [head, pods] = message.split(/[Nn]ot all pods would schedule, /);
  if (pods === undefined) return message;
  const rest = / and \d+ other\(s\)$/.exec(pods)?.[0] ?? '';
  const shown = rest === '' || rest === ' and 0 other(s)' ? (pods.match(/[a-z0-9-]+\/[a-z0-9-]+(?= => )/g) ?? []) : [];
  return `${head}Not all pods would schedule, ${shown.sort().join(' ')}${rest}`;
}

export function ordered(events: readonly string[]): readonly string[] {
  return [...new Set(events)].sort();
}

function dollars(perHour: number): string {
  return perHour.toFixed(9).replace(/^-(0\.0+)$/, '$1');
}
